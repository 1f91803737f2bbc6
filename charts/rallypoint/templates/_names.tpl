{{/*
Names and labels of all objects. Each define takes the view and prints text, or a mapping as JSON.
*/}}

{{- define "rallypoint.config_name" -}}
{{ .name }}-config
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
