{{/*
What is refused: the rules of rallypoint.spec.rules in the same words, and what helm alone cannot do. Each define
`rallypoint.rules.*` takes the context and prints a line `key: text` for each thing wrong, nothing when all is well.
What one field alone may be is in values.schema.json, which helm looks at first.
*/}}

{{- define "rallypoint.refuse" -}}
{{- $found := list
      (include "rallypoint.rules.helm" .)
      (include "rallypoint.rules.program" .)
      (include "rallypoint.rules.training" .)
      (include "rallypoint.rules.fields" .)
      (include "rallypoint.rules.storage" .)
      (include "rallypoint.rules.pod" .)
      (include "rallypoint.rules.credentials" .) }}
{{- with join "" $found }}
  {{- fail (printf "the job cannot be installed as it stands:\n%s" (trimSuffix "\n" .)) }}
{{- end }}
{{- end }}

{{/* A value as a message shows it: text in quotes, numbers and booleans bare, maps and lists by their size. */}}
{{- define "rallypoint.shown" -}}
{{- if kindIs "invalid" . }}null
{{- else if kindIs "string" . }}
{{- if gt (len .) 80 }}{{ include "rallypoint.in_quotes" (printf "%s..." (trunc 77 .)) }}
{{- else }}{{ include "rallypoint.in_quotes" . }}
{{- end }}
{{- else if kindIs "map" . }}a map of {{ keys . | sortAlpha | join ", " | default "nothing" }}
{{- else if kindIs "slice" . }}a list of {{ len . }}
{{- else }}{{ toJson . }}
{{- end }}
{{- end }}

{{/* Text in quotes as Python writes it: single ones, or double ones around text that has single ones. */}}
{{- define "rallypoint.in_quotes" -}}
{{- $text := replace "\\" "\\\\" . | replace "\n" "\\n" | replace "\t" "\\t" | replace "\r" "\\r" }}
{{- if and (contains "'" $text) (not (contains "\"" $text)) }}"{{ $text }}"
{{- else }}'{{ replace "'" "\\'" $text }}'
{{- end }}
{{- end }}

{{/* One part of a dotted key; its own dots are escaped as in --set. */}}
{{- define "rallypoint.part" -}}
{{- replace "." "\\." . }}
{{- end }}

{{/* Every scalar below a value as JSON objects {key, value}, a comma after each: (dict "value" ... "key" ...). */}}
{{- define "rallypoint.leaves" -}}
{{- $key := .key }}
{{- if kindIs "map" .value }}
  {{- range $part, $inner := .value }}
    {{- $part = include "rallypoint.part" $part }}
    {{- include "rallypoint.leaves" (dict "value" $inner "key" (trimPrefix "." (printf "%s.%s" $key $part))) }}
  {{- end }}
{{- else if kindIs "slice" .value }}
  {{- range $number, $inner := .value }}
    {{- include "rallypoint.leaves" (dict "value" $inner "key" (printf "%s[%d]" $key $number)) }}
  {{- end }}
{{- else }}{{ dict "key" .key "value" .value | toJson }},
{{- end }}
{{- end }}

{{/* What helm alone cannot do, or has lost before the templates see it. */}}
{{- define "rallypoint.rules.helm" -}}
{{- $release := .root.Release }}
{{- $known := .root.Capabilities.APIVersions }}
{{- /* the last one is in every cluster, and not in the list that helm has without one */}}
{{- if and (not ($known.Has (printf "%s/%s" .kind.api_version .kind.title))) ($known.Has "apiregistration.k8s.io/v1") }}
  {{- printf "kind: this cluster has no %s (%s); have its operator installed, or take another kind (job needs none)\n" .kind.title .kind.api_version }}
{{- end }}
{{- if and .job.namespace (ne .job.namespace $release.Namespace) }}
  {{- printf "namespace: must be the release's (got '%s', but the release goes to '%s'); install with --namespace %s, or leave it out\n"
        .job.namespace $release.Namespace .job.namespace }}
{{- end }}
{{- with .job.script }}
  {{- $way_out := "give helm what 'rallypoint values' prints, or --set-file" }}
  {{- if and .file (not (hasPrefix "/" .file)) (not (hasKey $.scripts (clean .file))) }}
    {{- printf "script.file: helm cannot read it from your disk (got '%s'); %s 'script.files.%s=PATH'\n" .file $way_out (include "rallypoint.part" .file) }}
  {{- end }}
  {{- if kindIs "slice" .files }}
    {{- range $number, $path := .files }}
      {{- printf "script.files[%d]: helm cannot read it from your disk (got '%s'); %s 'script.files.%s=PATH'\n" $number $path $way_out (include "rallypoint.part" $path) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- $leaves := include "rallypoint.leaves" (dict "key" "" "value" (omit .root.Values "global")) }}
{{- $broken := dict }}
{{- $letters := include "rallypoint.control_letters" . }}
{{- range $leaf := printf "[%s]" (trimSuffix "," $leaves) | fromJsonArray }}
  {{- if kindIs "float64" .value }}
    {{- if or (ge .value 9007199254740992.0) (le .value -9007199254740992.0) }}
      {{- printf "%s: is too large for helm, which has rounded it (got %s); quote it, or use a smaller number\n" .key (toJson .value) }}
    {{- else if and (ne .value (floor .value)) (regexMatch "^(labels|annotations|env|script\\.args|scheduling\\.(queue|queue_priority|node_selector)|network\\.annotations)\\b" .key) }}
      {{- printf "%s: is a number with a fraction, of which helm does not keep the spelling (got %s); quote it\n" .key (toJson .value) }}
    {{- end }}
  {{- else if kindIs "string" .value }}
    {{- with include "rallypoint.control" .value }}
      {{- printf "%s: %s\n" $leaf.key . }}
    {{- end }}
  {{- end }}
  {{- with include "rallypoint.control" .key }}
    {{- $where := regexReplaceAll (printf "\\.?(\\\\\\.|[^.\\[])*%s(.|\n)*$" $letters) $leaf.key "" }}
    {{- $_ := set $broken (printf "%s: a key %s\n" $where .) true }}
  {{- end }}
{{- end }}
{{- keys $broken | sortAlpha | join "" }}
{{- end }}

{{/* A regular expression of what may stand in no text. */}}
{{- define "rallypoint.control_letters" -}}
[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{fffe}\x{ffff}]
{{- end }}

{{/* What is wrong with the letters of a text; empty for nothing. */}}
{{- define "rallypoint.control" -}}
{{- $letter := regexFind (include "rallypoint.control_letters" .) . }}
{{- if $letter }}
  {{- /* its number, from the last byte of one, two or three in UTF-8 */}}
  {{- $last := index $letter (sub (len $letter) 1) | int64 }}
  {{- $code := eq (len $letter) 3 | ternary (add $last 65344) $last }}
  {{- printf "holds a control character (U+%04X); remove it" $code }}
{{- end }}
{{- end }}
