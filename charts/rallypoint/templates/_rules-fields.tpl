{{/*
What one field may be, where the schema cannot say it: because helm has made a number of it, or because the rule
is about what lies inside.
*/}}

{{- define "rallypoint.rules.fields" -}}
{{- $job := .job }}
{{- range $key, $value := $job.labels }}
  {{- include "rallypoint.rules.label_value" (dict "key" (printf "labels.%s" (include "rallypoint.part" $key)) "value" $value) }}
{{- end }}
{{- range $key, $value := $job.scheduling.node_selector }}
  {{- include "rallypoint.rules.label_value" (dict "key" (printf "scheduling.node_selector.%s" (include "rallypoint.part" $key)) "value" $value) }}
{{- end }}
{{- range $field := list "queue" "queue_priority" }}
  {{- $name := index $job.scheduling $field }}
  {{- if and (kindIs "string" $name) (not (include "rallypoint.is_label_value" $name)) }}
    {{- printf "scheduling.%s: must be 1 to 63 letters, digits, '-', '_' and '.', starting and ending with a letter or digit (got %s)\n" $field (include "rallypoint.in_quotes" (trunc 80 $name)) }}
  {{- end }}
{{- end }}
{{- with $job.network.interface }}
  {{- if not (regexMatch "^[A-Za-z0-9_.@-]{1,15}$" .) }}
    {{- printf "network.interface: must be one network interface, such as eth0 (got %s)\n" (include "rallypoint.in_quotes" (trunc 80 .)) }}
  {{- end }}
{{- end }}
{{- range $number, $capability := $job.security.capabilities }}
  {{- if not (regexMatch "^[A-Z_]+$" $capability) }}
    {{- printf "security.capabilities[%d]: must be a Linux capability such as SYS_PTRACE (got %s)\n" $number (include "rallypoint.in_quotes" (trunc 80 $capability)) }}
  {{- end }}
{{- end }}
{{- range $field := list "cpu" "memory" "shm" "ephemeral_storage" }}
  {{- $value := get $job.resources $field }}
  {{- if and $value (not (and (eq $field "shm") (eq $value "false"))) }}
    {{- include "rallypoint.rules.quantity" (dict "key" (printf "resources.%s" $field) "value" $value) }}
  {{- end }}
{{- end }}
{{- range $name, $value := $job.resources.extra }}
  {{- include "rallypoint.rules.quantity" (dict "key" (printf "resources.extra.%s" (include "rallypoint.part" $name)) "value" $value) }}
{{- end }}
{{- range $number, $source := $job.env_from }}
  {{- if and $source.secret $source.config_map }}
    {{- printf "env_from[%d]: needs exactly one of secret and config_map (got both)\n" $number }}
  {{- else if not (or $source.secret $source.config_map) }}
    {{- printf "env_from[%d]: needs exactly one of secret and config_map (got none)\n" $number }}
  {{- end }}
{{- end }}
{{- range $name, $value := $job.env }}
  {{- if and (kindIs "map" $value) $value.field }}
    {{- if not (regexMatch "^(metadata\\.(name|namespace|uid|labels|annotations)|metadata\\.(labels|annotations)\\['[^']+'\\]|spec\\.(nodeName|serviceAccountName)|status\\.(hostIP|hostIPs|podIP|podIPs))$" $value.field) }}
      {{- printf "env.%s.field: '%s' is no field of a pod that a variable can have; use status.podIP or alike\n" $name $value.field }}
    {{- end }}
  {{- end }}
{{- end }}
{{- range $number, $toleration := $job.scheduling.tolerations }}
  {{- include "rallypoint.rules.nulls" (dict "key" (printf "scheduling.tolerations[%d]" $number) "value" $toleration) }}
{{- end }}
{{- include "rallypoint.rules.nulls" (dict "key" "scheduling.affinity" "value" $job.scheduling.affinity) }}
{{- end }}

{{/* Something when the text can be a label's value, and is not empty. */}}
{{- define "rallypoint.is_label_value" -}}
{{- if and (le (len .) 63) (regexMatch "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$" .) }}true
{{- end }}
{{- end }}

{{- define "rallypoint.rules.label_value" -}}
{{- if and .value (not (include "rallypoint.is_label_value" .value)) }}
  {{- printf "%s: must be at most 63 letters, digits, '-', '_' and '.', starting and ending with a letter or digit (got %s)\n" .key (include "rallypoint.in_quotes" (trunc 80 .value)) }}
{{- end }}
{{- end }}

{{/* Something when the text is a quantity above zero that 64 bits can hold. */}}
{{- define "rallypoint.is_quantity" -}}
{{- if regexMatch "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]{1,2}|[numkMGTPE]|[KMGTPE]i)?$" . }}
{{- $number := include "rallypoint.quantity" . | float64 }}
{{- if and (gt $number 0.0) (lt $number 9223372036854775808.0) }}true
{{- end }}
{{- end }}
{{- end }}

{{- define "rallypoint.rules.quantity" -}}
{{- if not (include "rallypoint.is_quantity" .value) }}
  {{- printf "%s: must be a Kubernetes quantity above 0 and below 8Ei, such as 4, 500m or 16Gi (got %s)\n" .key (include "rallypoint.in_quotes" .value) }}
{{- end }}
{{- end }}

{{/* A map spelled as Kubernetes does holds no null: (dict "key" ... "value" ...). */}}
{{- define "rallypoint.rules.nulls" -}}
{{- if kindIs "map" .value }}
  {{- $leaves := include "rallypoint.leaves" . }}
  {{- range printf "[%s]" (trimSuffix "," $leaves) | fromJsonArray }}
    {{- if kindIs "invalid" .value }}
      {{- printf "%s: has no value (null); give one or remove the key\n" .key }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
