{{/*
Names and labels of all objects. Each define takes the view and prints text, or a mapping as JSON.
*/}}

{{/* The contract, for people and for upgrades; no pod reads it. */}}
{{- define "rallypoint.config_name" -}}
{{ .name }}-config
{{- end }}

{{/*
What the pods read. Another run has another name: a kubelet gives new pods the immutable ConfigMap that it holds, as
long as one pod on its machine uses the name, be it one of a run that was uninstalled. Takes the context.
*/}}
{{- define "rallypoint.files_name" -}}
{{- $text := include "rallypoint.contract" . | fromJson | toRawJson }}
{{- range $name, $digest := .launcher }}
  {{- $text = printf "%s\n%s %s" $text $name $digest }}
{{- end }}
{{- .job.name }}-files-{{ sha256sum $text | trunc 8 }}
{{- end }}

{{/* The headless Service that selects node 0 alone; also MASTER_ADDR. */}}
{{- define "rallypoint.endpoint_name" -}}
{{ .name }}-rdzv
{{- end }}

{{/* The pod of `helm test`, with its account and rights. */}}
{{- define "rallypoint.test_name" -}}
{{ .name }}-progress
{{- end }}

{{/* Finds every pod of the job. Never managed-by, which helm overwrites. */}}
{{- define "rallypoint.selector" -}}
{{ dict .tables.pod.owner_label .job.name | toJson }}
{{- end }}

{{/* Finds node 0 alone. */}}
{{- define "rallypoint.endpoint_selector" -}}
{{ set (include "rallypoint.selector" . | fromJson) .kind.index_label "0" | toJson }}
{{- end }}

{{/* Of every object and pod; the owner's comes last so that nothing takes its place. */}}
{{- define "rallypoint.labels" -}}
{{- $labels := dict
      "app.kubernetes.io/name" "rallypoint"
      "app.kubernetes.io/instance" .job.name
      "app.kubernetes.io/component" "training"
      "app.kubernetes.io/managed-by" "rallypoint" }}
{{- range $label, $value := .job.labels }}
  {{- $_ := set $labels $label $value }}
{{- end }}
{{- $_ := set $labels .tables.pod.owner_label .job.name }}
{{- toJson $labels }}
{{- end }}

{{/* Kueue's, for the workload alone. */}}
{{- define "rallypoint.queue_labels" -}}
{{- $labels := dict }}
{{- with .job.scheduling.queue }}
  {{- $_ := set $labels "kueue.x-k8s.io/queue-name" . }}
{{- end }}
{{- with .job.scheduling.queue_priority }}
  {{- $_ := set $labels "kueue.x-k8s.io/priority-class" . }}
{{- end }}
{{- toJson $labels }}
{{- end }}
