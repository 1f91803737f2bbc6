{{/*
Credentials in plain text: values are read by many, and everything in them lies open in the cluster. A message
carries the first letters only.
*/}}

{{- define "rallypoint.rules.credentials" -}}
{{- $rules := .tables.rules }}
{{- $leaves := include "rallypoint.leaves" (dict "key" "" "value" .job) }}
{{- $any := list }}
{{- range $rules.credentials }}
  {{- $any = append $any (printf "(?:%s)" .pattern) }}
{{- end }}
{{- $any = join "|" $any }}
{{- range printf "[%s]" (trimSuffix "," $leaves) | fromJsonArray }}
  {{- if and (kindIs "string" .value) .value }}
    {{- $found := regexMatch $any .value }}
    {{- $variable := regexFind "^env\\.[^.\\[]+$" .key | trimPrefix "env." }}
    {{- if or $found (and $variable (regexMatch $rules.secret_names $variable)) }}
      {{- $what := "a secret" }}
      {{- $start := trunc 2 .value }}
      {{- if $found }}
        {{- $text := .value }}
        {{- $what = "" }}
        {{- range $rules.credentials }}
          {{- $match := regexFind .pattern $text }}
          {{- if and (not $what) $match }}
            {{- $what = .what }}
            {{- $start = trunc 4 $match }}
          {{- end }}
        {{- end }}
      {{- end }}
      {{- if $variable }}
        {{- printf "%s: %s in plain text (got '%s...'); put it into a Secret and write %s: {secret: NAME, key: KEY}\n" .key $what $start $variable }}
      {{- else }}
        {{- printf "%s: holds %s in plain text (got '%s...'); put it into a Secret and read it from env, as in HF_TOKEN: {secret: NAME, key: KEY}\n" .key $what $start }}
      {{- end }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
