{{/*
What of the pod is ours: variables, labels, containers, and the keys that patches may not touch.
*/}}

{{- define "rallypoint.rules.pod" -}}
{{- $rules := .tables.rules }}
{{- range $name, $value := .job.env }}
  {{- $own := has $name $rules.own_variables }}
  {{- range $rules.own_prefixes }}
    {{- $own = or $own (hasPrefix . $name) }}
  {{- end }}
  {{- if $own }}
    {{- printf "env.%s: is set by the launcher for each process (got a value); remove it\n" $name }}
  {{- end }}
{{- end }}
{{- range $field := list "labels" "annotations" }}
  {{- range $label, $value := get $.job $field }}
    {{- if and (contains "/" $label) (has (splitList "/" $label | first) $rules.label_domains) }}
      {{- printf "%s.%s: belongs to a controller (got %s); remove it\n" $field (include "rallypoint.part" $label) (include "rallypoint.shown" $value) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- $queue := "kueue.x-k8s.io/queue-name" }}
{{- if and (hasKey .job.labels $queue) .job.scheduling.queue }}
  {{- printf "labels.%s: is what scheduling.queue sets (got '%s' and '%s'); keep scheduling.queue alone\n"
        (include "rallypoint.part" $queue) (get .job.labels $queue) .job.scheduling.queue }}
{{- end }}
{{- range $field, $owned := $rules.owned }}
  {{- range $name, $value := get $.job $field }}
    {{- if hasKey $owned $name }}
      {{- printf "%s.%s: may not be patched (got %s); %s\n" $field $name (include "rallypoint.shown" $value) (get $owned $name) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- include "rallypoint.rules.containers" . }}
{{- end }}

{{/* Sidecars and init containers have a name of their own and an image. */}}
{{- define "rallypoint.rules.containers" -}}
{{- $seen := dict }}
{{- range $field := list "sidecars" "init_containers" }}
  {{- range $number, $container := get $.job $field }}
    {{- $key := printf "%s[%d]" $field $number }}
    {{- $name := $container.name }}
    {{- $shown := include "rallypoint.shown" $name }}
    {{- if not (regexMatch (printf "^%s$" $.tables.rules.dns_1123) (kindIs "string" $name | ternary $name "")) }}
      {{- printf "%s.name: needs a name of lower-case letters, digits and '-' (got %s); give it one\n" $key $shown }}
    {{- else if gt (len $name) 63 }}
      {{- printf "%s.name: needs a name of lower-case letters, digits and '-' (got %s); give it one\n" $key $shown }}
    {{- else if has $name $.tables.rules.containers }}
      {{- printf "%s.name: is the training container's name (got %s); choose another\n" $key $shown }}
    {{- else if hasKey $seen $name }}
      {{- printf "%s.name: is the name of %s too (got %s); choose another\n" $key (get $seen $name) $shown }}
    {{- else }}
      {{- $_ := set $seen $name $key }}
    {{- end }}
    {{- if or (not (kindIs "string" $container.image)) (not $container.image) }}
      {{- printf "%s.image: needs an image (got %s); give it one\n" $key (include "rallypoint.shown" $container.image) }}
    {{- end }}
    {{- include "rallypoint.rules.nulls" (dict "key" $key "value" $container) }}
  {{- end }}
{{- end }}
{{- end }}
