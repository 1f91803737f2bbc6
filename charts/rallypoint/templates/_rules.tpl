{{- define "rallypoint.refuse" -}}
{{- end }}
