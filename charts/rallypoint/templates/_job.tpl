{{/*
The job that the values say, as the command line reads it: defaults filled in, text where text is meant.
Every define here prints JSON; read it with fromJson.
*/}}

{{/* The values over the defaults, which go two levels deep at most. */}}
{{- define "rallypoint.job" -}}
{{- $job := .Files.Get "files/defaults.json" | fromJson }}
{{- range $key, $value := omit .Values "global" | toJson | fromJson }}
  {{- $default := get $job $key }}
  {{- if and (kindIs "map" $value) (kindIs "map" $default) }}
    {{- range $inner, $given := $value }}
      {{- $_ := set $default $inner $given }}
    {{- end }}
  {{- else if not (kindIs "invalid" $value) }}
    {{- $_ := set $job $key $value }}
  {{- end }}
{{- end }}
{{- $_ := set $job "name" ($job.name | default .Release.Name) }}
{{- $_ = set $job "kind" (lower $job.kind) }}
{{- include "rallypoint.job_as_text" $job }}
{{- toJson $job }}
{{- end }}

{{/* Numbers and booleans as text in all fields where text is meant. Changes the job, prints nothing. */}}
{{- define "rallypoint.job_as_text" -}}
{{- $_ := set . "labels" (include "rallypoint.texts" .labels | fromJson) }}
{{- $_ = set . "annotations" (include "rallypoint.texts" .annotations | fromJson) }}
{{- $_ = set . "env" (include "rallypoint.texts" .env | fromJson) }}
{{- $_ = set .network "annotations" (include "rallypoint.texts" .network.annotations | fromJson) }}
{{- $_ = set .scheduling "node_selector" (include "rallypoint.texts" .scheduling.node_selector | fromJson) }}
{{- range $key := list "queue" "queue_priority" }}
  {{- if not (kindIs "invalid" (index $.scheduling $key)) }}
    {{- $_ := set $.scheduling $key (include "rallypoint.text" (get $.scheduling $key)) }}
  {{- end }}
{{- end }}
{{- $_ = set .resources "extra" (include "rallypoint.texts" .resources.extra | fromJson) }}
{{- range $key := list "cpu" "memory" "ephemeral_storage" "shm" }}
  {{- $_ := set $.resources $key (include "rallypoint.text" (get $.resources $key)) }}
{{- end }}
{{- range concat (list .output .cache) .volumes }}
  {{- if . }}
    {{- $_ := set . "size" (include "rallypoint.text" .size) }}
  {{- end }}
{{- end }}
{{- if .script }}
  {{- $args := list }}
  {{- range .script.args }}
    {{- $args = append $args (include "rallypoint.text" .) }}
  {{- end }}
  {{- if hasKey .script "args" }}
    {{- $_ = set .script "args" $args }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A scalar as text; nothing for null. A float as JSON has it: without an exponent up to 21 digits. */}}
{{- define "rallypoint.text" -}}
{{- if kindIs "string" . }}{{ . }}
{{- else if not (kindIs "invalid" .) }}{{ toJson . }}
{{- end }}
{{- end }}


{{/* A mapping with its scalars as text and its mappings as they are. */}}
{{- define "rallypoint.texts" -}}
{{- $texts := dict }}
{{- range $key, $value := . }}
  {{- if kindIs "map" $value }}
    {{- $_ := set $texts $key $value }}
  {{- else }}
    {{- $_ := set $texts $key (include "rallypoint.text" $value) }}
  {{- end }}
{{- end }}
{{- toJson $texts }}
{{- end }}

{{/* The text of every shipped script by its relative path. */}}
{{- define "rallypoint.scripts" -}}
{{- $scripts := dict }}
{{- with .script }}
  {{- if kindIs "map" .files }}
    {{- range $path, $text := .files }}
      {{- $_ := set $scripts (clean $path) $text }}
    {{- end }}
  {{- end }}
  {{- with .inline }}
    {{- $_ := set $scripts "inline.py" . }}
  {{- end }}
{{- end }}
{{- toJson $scripts }}
{{- end }}

{{/* Each claim, volume and folder of the job as {key, storage}, in the spec's order. */}}
{{- define "rallypoint.storages" -}}
{{- $found := list }}
{{- range $key := list "output" "cache" }}
  {{- if kindIs "map" (get $ $key) }}
    {{- $found = append $found (dict "key" $key "storage" (get $ $key)) }}
  {{- end }}
{{- end }}
{{- range $number, $volume := .volumes }}
  {{- $found = append $found (dict "key" (printf "volumes[%d]" $number) "storage" $volume) }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{/* Seconds of `90s`, `15m`, `24h` or `7d`; 0 for none. */}}
{{- define "rallypoint.seconds" -}}
{{- if . }}
{{- $unit := get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) (trunc -1 .) }}
{{- mul (regexFind "^[0-9]+" . | int64) $unit }}
{{- else }}0
{{- end }}
{{- end }}

{{/* The number that a quantity stands for: 500m is 0.5, 1Gi is 1073741824. Decimal steps, so 4.2M is exact. */}}
{{- define "rallypoint.quantity" -}}
{{- $number := regexFind "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)" . }}
{{- $suffix := trimPrefix $number . }}
{{- $factors := dict "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18
      "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 "Pi" 1125899906842624.0
      "Ei" 1152921504606846976.0 }}
{{- if not $suffix }}{{ float64 $number | toJson }}
{{- else if hasKey $factors $suffix }}{{ mulf (float64 $number) (get $factors $suffix) | toJson }}
{{- else }}{{ float64 . | toJson }}
{{- end }}
{{- end }}
