{{/*
Metadata of the objects, and how a block is printed. Each define takes the view, except rallypoint.yaml.
*/}}

{{- define "rallypoint.metadata" -}}
{{- if .namespace }}
namespace: {{ .namespace | quote }}
{{- end }}
labels:
  {{- include "rallypoint.yaml" .labels | nindent 2 }}
{{- if .annotations }}
annotations:
  {{- include "rallypoint.yaml" .annotations | nindent 2 }}
{{- end }}
{{- end }}

{{- define "rallypoint.workload_metadata" -}}
{{- if .namespace }}
namespace: {{ .namespace | quote }}
{{- end }}
labels:
  {{- include "rallypoint.yaml" .labels | nindent 2 }}
{{- if .queue_labels }}
  {{- include "rallypoint.yaml" .queue_labels | nindent 2 }}
{{- end }}
{{- if .annotations }}
annotations:
  {{- include "rallypoint.yaml" .annotations | nindent 2 }}
{{- end }}
{{- end }}

{{/* The view with further annotations on its objects: (list view annotations). */}}
{{- define "rallypoint.annotated" -}}
{{- $view := index . 0 }}
{{- $annotations := include "rallypoint.overlaid" (list $view.annotations (index . 1)) | fromJson }}
{{- set $view "annotations" $annotations | toJson }}
{{- end }}

{{/*
A mapping or list in block style; its items as JSON where helm's YAML would misread or cut off a line's end, or
where helm would take a text for its own mark of a missing value.
*/}}
{{- define "rallypoint.yaml" -}}
{{- if not (regexMatch "\\\\u202[89]|[\u0085\u2028\u2029]|(\\\\n){2}\"|[:,\\[]\"\\\\n\"|\\p{Zs}\"|\\\\u003cno value\\\\u003e" (toJson .)) }}{{ toYaml . }}
{{- else if kindIs "slice" . }}
{{- range . }}
- {{ toJson . }}
{{- end }}
{{- else }}
{{- range $key, $value := . }}
{{ toJson $key }}: {{ toJson $value }}
{{- end }}
{{- end }}
{{- end }}
