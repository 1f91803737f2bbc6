{{/*
The training container's environment variables. Each define prints JSON.
*/}}

{{/* OMP_NUM_THREADS, cpu / nproc rounded down and at least 1: libgomp does not see a container's limit. */}}
{{- define "rallypoint.threads" -}}
{{- $cores := 0 }}
{{- with .job.resources.cpu }}
  {{- $cores = include "rallypoint.quantity" . | float64 }}
{{- end }}
{{- divf $cores .nproc | floor | int64 | max 1 }}
{{- end }}

{{/* What a job may override by name. */}}
{{- define "rallypoint.environment_defaults" -}}
{{- $found := dict "OMP_NUM_THREADS" (include "rallypoint.threads" .) }}
{{- range $name, $value := .tables.pod.writable }}
  {{- $_ := set $found $name $value }}
{{- end }}
{{- if .job.cache }}
  {{- $_ := set $found "HF_HUB_CACHE" (printf "%s/hub" .tables.pod.mounts.cache) }}
{{- end }}
{{- if .job.network.rdma }}
  {{- $_ := set $found "NCCL_IB_DISABLE" "0" }}
{{- end }}
{{- with .job.network.interface }}
  {{- $_ := set $found "NCCL_SOCKET_IFNAME" . }}
  {{- $_ = set $found "GLOO_SOCKET_IFNAME" . }}
{{- end }}
{{- if .job.debug }}
  {{- range $name, $value := .tables.pod.debug }}
    {{- $_ := set $found $name $value }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{/* The `env` list: the node index, then our defaults with the job's own values in their place, by name. */}}
{{- define "rallypoint.environment" -}}
{{- $index := printf "metadata.labels['%s']" .kind.index_label }}
{{- $env := list (dict "name" .tables.pod.index_variable "valueFrom" (dict "fieldRef" (dict "fieldPath" $index))) }}
{{- $values := include "rallypoint.environment_defaults" . | fromJson }}
{{- range $name, $value := .job.env }}
  {{- $_ := set $values $name $value }}
{{- end }}
{{- range $name, $value := $values }}
  {{- $entry := dict "name" $name }}
  {{- if kindIs "string" $value }}
    {{- /* Kubernetes expands $(NAME); two signs stand for one */}}
    {{- $_ := set $entry "value" (replace "$" "$$" $value) }}
  {{- else if $value.secret }}
    {{- $_ := set $entry "valueFrom" (dict "secretKeyRef" (dict "name" $value.secret "key" $value.key)) }}
  {{- else if $value.config_map }}
    {{- $_ := set $entry "valueFrom" (dict "configMapKeyRef" (dict "name" $value.config_map "key" $value.key)) }}
  {{- else }}
    {{- $_ := set $entry "valueFrom" (dict "fieldRef" (dict "fieldPath" $value.field)) }}
  {{- end }}
  {{- $env = append $env $entry }}
{{- end }}
{{- toJson $env }}
{{- end }}

{{/* The `envFrom` list. */}}
{{- define "rallypoint.environment_sources" -}}
{{- $sources := list }}
{{- range .env_from }}
  {{- $source := dict }}
  {{- with .prefix }}
    {{- $_ := set $source "prefix" . }}
  {{- end }}
  {{- with .secret }}
    {{- $_ := set $source "secretRef" (dict "name" .) }}
  {{- end }}
  {{- with .config_map }}
    {{- $_ := set $source "configMapRef" (dict "name" .) }}
  {{- end }}
  {{- $sources = append $sources $source }}
{{- end }}
{{- toJson $sources }}
{{- end }}
