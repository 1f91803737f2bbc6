{{/*
What the job asks for beyond Pod Security level `restricted`: one line each, with the level it needs.
*/}}

{{- define "rallypoint.notices" -}}
{{- $context := include "rallypoint.context" . | fromJson }}
{{- $job := $context.job }}
{{- range include "rallypoint.storages" $job | fromJsonArray }}
  {{- if .storage.hostPath }}
{{ regexReplaceAll "\\[(.*)\\]" .key ".${1}" }}.hostPath: needs the Pod Security level privileged
  {{- end }}
{{- end }}
{{- if $job.network.host_network }}
network.host_network: needs the Pod Security level privileged
{{- end }}
{{- if $job.network.rdma }}
network.rdma: needs the Pod Security level privileged (it adds IPC_LOCK)
{{- end }}
{{- if $job.security.privileged }}
security.privileged: needs the Pod Security level privileged
{{- end }}
{{- if eq (toJson $job.security.user) "0" }}
security.user: user 0 needs the Pod Security level baseline
{{- end }}
{{- if $job.security.capabilities }}
security.capabilities: need the Pod Security level {{ include "rallypoint.capability_level" $context }}
{{- end }}
{{- end }}

{{/* The lowest level that lets all of the job's capabilities in. */}}
{{- define "rallypoint.capability_level" -}}
{{- $level := "restricted" }}
{{- range include "rallypoint.capabilities" .job | fromJsonArray }}
  {{- $name := trimPrefix "CAP_" . }}
  {{- if not (has $name $.tables.pod.baseline_capabilities) }}
    {{- $level = "privileged" }}
  {{- else if and (ne $name "NET_BIND_SERVICE") (eq $level "restricted") }}
    {{- $level = "baseline" }}
  {{- end }}
{{- end }}
{{- $level }}
{{- end }}
