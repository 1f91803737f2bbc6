{{/*
Claims and mounts: nothing lies over another, and what all nodes need they can all reach.
*/}}

{{- define "rallypoint.rules.storage" -}}
{{- $storages := include "rallypoint.storages" .job | fromJsonArray }}
{{- range $storages }}
  {{- include "rallypoint.rules.source" (dict "key" .key "storage" .storage "sources" $.tables.pod.volume_sources) }}
  {{- if and .storage.size (has .storage.access_mode $.tables.rules.one_node) (gt (int64 $.job.nodes) 1) }}
    {{- printf "%s.access_mode: %s can be mounted by one node alone, but nodes is %d; use ReadWriteMany, or nodes: 1\n" .key .storage.access_mode (int64 $.job.nodes) }}
  {{- end }}
{{- end }}
{{- include "rallypoint.rules.claims" $storages }}
{{- include "rallypoint.rules.mounts" . }}
{{- include "rallypoint.rules.output" . }}
{{- if .job.cache }}
  {{- $source := include "rallypoint.source" (dict "storage" .job.cache "sources" .tables.pod.volume_sources) }}
  {{- if has $source .tables.rules.read_only }}
    {{- printf "cache: %s cannot be written (got %s); use a pvc, hostPath, nfs or csi\n" $source $source }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Text: the key of a storage's source. */}}
{{- define "rallypoint.source" -}}
{{- if .storage.pvc }}pvc
{{- else }}
{{- range $source := .sources }}
{{- if kindIs "map" (get $.storage $source) }}{{ $source }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Exactly one source, and the fields of a claim to create only beside one. */}}
{{- define "rallypoint.rules.source" -}}
{{- $storage := .storage }}
{{- $given := list }}
{{- range $source := concat (list "pvc") .sources }}
  {{- if or (kindIs "map" (get $storage $source)) (get $storage $source) }}
    {{- $given = append $given $source }}
  {{- end }}
{{- end }}
{{- $alone := list }}
{{- range $field := list "storage_class" "access_mode" }}
  {{- if get $storage $field }}
    {{- $alone = append $alone $field }}
  {{- end }}
{{- end }}
{{- if ne (len $given) 1 }}
  {{- printf "%s: needs exactly one of pvc and a volume source such as hostPath or nfs (got %s)\n" .key (join " and " $given | default "none") }}
{{- else if and $alone (not $storage.size) }}
  {{- printf "%s: %s is for a claim to create: give its size, or leave %s out\n" .key (first $alone) (first $alone) }}
{{- else if and $storage.size (not $storage.pvc) }}
  {{- printf "%s: size is for a claim to create: name it with pvc (got %s)\n" .key (first $given) }}
{{- end }}
{{- if and $storage.size (not (include "rallypoint.is_quantity" $storage.size)) }}
  {{- include "rallypoint.rules.quantity" (dict "key" (printf "%s.size" .key) "value" $storage.size) }}
{{- end }}
{{- range $source := .sources }}
  {{- include "rallypoint.rules.nulls" (dict "key" (printf "%s.%s" $.key $source) "value" (get $storage $source)) }}
{{- end }}
{{- if gt (len ($storage.sub_path | default "")) 253 }}
  {{- printf "%s.sub_path: must have at most 253 letters (got %d)\n" .key (len $storage.sub_path) }}
{{- else if and (kindIs "string" $storage.sub_path) (or (empty $storage.sub_path) (regexMatch "(^|/)\\.\\.(/|$)" $storage.sub_path) (hasPrefix "/" $storage.sub_path)) }}
  {{- printf "%s.sub_path: must be a relative path inside the volume (got %s)\n" .key (include "rallypoint.in_quotes" (trunc 80 $storage.sub_path)) }}
{{- end }}
{{- end }}

{{/* A claim to create is described once. */}}
{{- define "rallypoint.rules.claims" -}}
{{- $first := dict }}
{{- range . }}
  {{- $claim := .storage }}
  {{- if and $claim.pvc $claim.size }}
    {{- $earlier := get $first $claim.pvc }}
    {{- if not $earlier }}
      {{- $_ := set $first $claim.pvc . }}
    {{- else if ne (pick $claim "size" "storage_class" "access_mode" | toJson) (pick $earlier.storage "size" "storage_class" "access_mode" | toJson) }}
      {{- $where := regexReplaceAll "\\[(.*)\\]" $earlier.key ".${1}" }}
      {{- printf "%s.pvc: the claim '%s' is described differently in %s (got %s and %s); give its size in one place\n" .key $claim.pvc $where $claim.size $earlier.storage.size }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* No volume lies over another or over what is ours. */}}
{{- define "rallypoint.rules.mounts" -}}
{{- $rules := .tables.rules }}
{{- $taken := set (deepCopy $rules.ours) "/dev" "the system" }}
{{- if .job.output }}
  {{- $_ := set $taken .tables.pod.mounts.output "output" }}
{{- end }}
{{- if .job.cache }}
  {{- $_ := set $taken .tables.pod.mounts.cache "cache" }}
{{- end }}
{{- with .job.script }}
  {{- $names := list }}
  {{- if kindIs "map" .files }}
    {{- $names = keys .files | sortAlpha }}
  {{- else if .files }}
    {{- $names = .files }}
  {{- end }}
  {{- if .file }}
    {{- $names = append $names .file }}
  {{- end }}
  {{- range $name := $names }}
    {{- if not (hasPrefix "/" $name) }}
      {{- $_ := set $taken (printf "%s/%s" $.tables.pod.mounts.workdir (clean $name)) (printf "the shipped %s" $name) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- range $number, $volume := .job.volumes }}
  {{- $key := printf "volumes[%d].mount" $number }}
  {{- $shown := include "rallypoint.in_quotes" $volume.mount }}
  {{- $path := clean $volume.mount }}
  {{- if or (has ".." (splitList "/" $volume.mount)) (eq $path "/") }}
    {{- printf "%s: must be a plain path below / (got %s); choose another path\n" $key $shown }}
  {{- else }}
    {{- $owner := get $taken $path }}
    {{- range $place, $what := $rules.ours }}
      {{- if and (not $owner) (hasPrefix (printf "%s/" $place) $path) }}
        {{- $owner = $what }}
      {{- end }}
    {{- end }}
    {{- range $place := $rules.system }}
      {{- if and (not $owner) (or (eq $path $place) (hasPrefix (printf "%s/" $place) $path)) }}
        {{- $owner = "the system" }}
      {{- end }}
    {{- end }}
    {{- if $owner }}
      {{- printf "%s: is taken by %s (got %s); choose another path\n" $key $owner $shown }}
    {{- end }}
    {{- if not (hasKey $taken $path) }}
      {{- $_ := set $taken $path (printf "volumes[%d]" $number) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A training has somewhere to save; all nodes share it, and it outlives the pod where the kind needs that. */}}
{{- define "rallypoint.rules.output" -}}
{{- $job := .job }}
{{- $nodes := int64 $job.nodes }}
{{- if kindIs "map" $job.output }}
  {{- $source := include "rallypoint.source" (dict "storage" $job.output "sources" .tables.pod.volume_sources) }}
  {{- $way_out := "use a pvc that is ReadWriteMany, nfs or csi" }}
  {{- if or (has $source .tables.rules.read_only) (eq ($job.output.access_mode | default "") "ReadOnlyMany") }}
    {{- $what := has $source .tables.rules.read_only | ternary $source "ReadOnlyMany" }}
    {{- printf "output: %s cannot be written (got %s); %s\n" $what $what $way_out }}
  {{- else if and (has $source .tables.rules.ends_with_the_pod) (gt $nodes 1) }}
    {{- printf "output: %s is another folder in every pod, but nodes is %d; %s, or nodes: 1\n" $source $nodes $way_out }}
  {{- else if and (has $source .tables.rules.ends_with_the_pod) (eq $job.kind "statefulset") }}
    {{- printf "output: %s ends with the pod, but kind %s needs a lasting mark of the finished run; %s\n" $source .kind.title $way_out }}
  {{- end }}
{{- else if or $job.train (eq $job.kind "statefulset") }}
  {{- $why := "kind StatefulSet starts its pods for ever, and only a mark there ends the run" }}
  {{- if $job.train }}
    {{- $why = "train saves checkpoints and the mark of a finished run" }}
  {{- end }}
  {{- printf "output: is missing, but %s; set a storage that all nodes share, such as {pvc: %s-output}\n" $why $job.name }}
{{- end }}
{{- end }}
