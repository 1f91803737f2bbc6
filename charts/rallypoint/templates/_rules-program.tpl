{{/*
What runs, under which name, on which kind, and with how many processes.
*/}}

{{- define "rallypoint.rules.program" -}}
{{- $job := .job }}
{{- if and $job.train $job.script }}script: exactly one of train and script says what runs (got both); remove one{{ "\n" }}
{{- else if not (or $job.train $job.script) }}exactly one of train and script says what runs (got neither); add one{{ "\n" }}
{{- end }}
{{- include "rallypoint.rules.script" . }}
{{- include "rallypoint.rules.name" . }}
{{- include "rallypoint.rules.kind" . }}
{{- include "rallypoint.rules.devices" . }}
{{- $shortest := .tables.rules.shortest_grace_seconds | int64 }}
{{- if lt (include "rallypoint.seconds" $job.grace_period | int64) $shortest }}
  {{- printf "grace_period: must be %ds or more, so that a checkpoint can be saved (got '%s')\n" $shortest $job.grace_period }}
{{- end }}
{{- $longest := .tables.rules.longest_ttl_seconds | int64 }}
{{- if $job.ttl }}
  {{- if gt (include "rallypoint.seconds" $job.ttl | int64) $longest }}
    {{- printf "ttl: must be %ds (24855d) or less, as Kubernetes counts it (got '%s')\n" $longest $job.ttl }}
  {{- end }}
{{- end }}
{{- if not $job.image }}image: is missing, but pods need one; set an image that has torch, for train also rallypoint[trainer]{{ "\n" }}
{{- end }}
{{- end }}

{{/* Exactly one of file, module and inline; shipped files lie below the job file's folder and fit. */}}
{{- define "rallypoint.rules.script" -}}
{{- with .job.script }}
  {{- $given := list }}
  {{- range $key := list "file" "module" "inline" }}
    {{- if get $.job.script $key }}
      {{- $given = append $given $key }}
    {{- end }}
  {{- end }}
  {{- if ne (len $given) 1 }}
    {{- printf "script: needs exactly one of file, module and inline (got %s)\n" (join " and " $given | default "none of them") }}
  {{- end }}
  {{- if and .module (not (regexMatch "^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*$" .module)) }}
    {{- printf "script.module: must be a module such as pkg.train (got %s)\n" (include "rallypoint.in_quotes" (trunc 80 .module)) }}
  {{- end }}
  {{- if and .file (not (hasPrefix "/" .file)) }}
    {{- include "rallypoint.rules.shipped" (dict "key" "script.file" "path" .file) }}
  {{- end }}
  {{- if kindIs "map" .files }}
    {{- range $path, $text := .files }}
      {{- include "rallypoint.rules.shipped" (dict "key" (printf "script.files.%s" (include "rallypoint.part" $path)) "path" $path) }}
    {{- end }}
  {{- end }}
  {{- $seen := dict }}
  {{- $shipped := list }}
  {{- if kindIs "map" .files }}
    {{- $shipped = keys .files }}
  {{- end }}
  {{- if and .file (not (hasPrefix "/" .file)) }}
    {{- $_ := set $seen (clean .file) .file }}
  {{- end }}
  {{- if .inline }}
    {{- $_ := set $seen "inline.py" "script.inline" }}
  {{- end }}
  {{- range $path := $shipped | sortAlpha }}
    {{- $key := printf "script.files.%s" (include "rallypoint.part" $path) }}
    {{- $first := get $seen (clean $path) | default $path }}
    {{- if ne $first $path }}
      {{- printf "%s: is the same file as %s (got %s); keep one\n" $key (include "rallypoint.in_quotes" $first) (include "rallypoint.in_quotes" $path) }}
    {{- else }}
      {{- $_ := set $seen (clean $path) $path }}
    {{- end }}
    {{- $folder := dir (clean $path) }}
    {{- range until (len (splitList "/" (clean $path))) }}
      {{- if hasKey $seen $folder }}
        {{- printf "%s: lies below %s, which is a file (got %s); rename one\n" $key (include "rallypoint.in_quotes" (get $seen $folder)) (include "rallypoint.in_quotes" $path) }}
      {{- end }}
      {{- $folder = eq $folder "." | ternary "/" (dir $folder) }}
    {{- end }}
  {{- end }}
  {{- $total := 0 }}
  {{- range $path, $text := $.scripts }}
    {{- $total = add $total (len $text) }}
  {{- end }}
  {{- $largest := $.tables.rules.largest_scripts | int64 }}
  {{- if gt $total $largest }}
    {{- $key := first (concat $given (list "files")) }}
    {{- printf "script.%s: has %d KiB, but a ConfigMap can ship %d KiB; %s\n" $key (div $total 1024) (div $largest 1024)
          "put it into the image or on a volume, and name it with script.module or an absolute script.file" }}
  {{- end }}
{{- end }}
{{- end }}

{{/* A shipped file's path: (dict "key" ... "path" ...). */}}
{{- define "rallypoint.rules.shipped" -}}
{{- $shown := include "rallypoint.in_quotes" .path }}
{{- if or (hasPrefix "/" .path) (has ".." (splitList "/" .path)) }}
  {{- printf "%s: must be a path below the job file's folder (got %s); copy the file there\n" .key $shown }}
{{- else if or (eq (clean .path) ".") (hasSuffix "/" .path) }}
  {{- printf "%s: must name a file (got %s)\n" .key $shown }}
{{- else if contains ":" .path }}
  {{- printf "%s: must be a path without ':', which no mount may have (got %s); rename the file\n" .key $shown }}
{{- end }}
{{- end }}

{{/* The name is a Service's, and the longest derived one has at most 63 letters. */}}
{{- define "rallypoint.rules.name" -}}
{{- $name := .job.name }}
{{- $nodes := .job.nodes | int64 }}
{{- $last := sub $nodes 1 | toString }}
{{- $longest := int64 .kind.longest_name }}
{{- if contains "{last}" .kind.longest_derived }}
  {{- $longest = sub $longest (sub (len $last) 1) }}
{{- end }}
{{- if not (regexMatch (printf "^%s$" .tables.rules.dns_1035) $name) }}
  {{- printf "name: must be lower-case letters, digits and '-', start with a letter and end with a letter or digit (got '%s')\n" $name }}
{{- end }}
{{- if gt (len $name) (int $longest) }}
  {{- $derived := .kind.longest_derived | replace "{name}" $name | replace "{last}" $last }}
  {{- printf "name: has %d letters, but a %s with %d nodes bears %d, because %s must fit 63; shorten it\n" (len $name) .kind.title $nodes $longest $derived }}
{{- end }}
{{- end }}

{{/* Fields that this kind lacks are not given. */}}
{{- define "rallypoint.rules.kind" -}}
{{- range $field, $kinds := .tables.lacks }}
  {{- $value := get $.job $field }}
  {{- if and $value (hasKey $kinds $.job.kind) }}
    {{- printf "%s: kind %s does not have it (got %s): %s; kinds that do: %s\n"
          $field $.kind.title (include "rallypoint.shown" $value) (get $kinds $.job.kind) (get $.tables.having $field) }}
  {{- end }}
{{- end }}
{{- end }}

{{/* No two processes of a node share a GPU, shared memory counts as memory, a device is asked for once. */}}
{{- define "rallypoint.rules.devices" -}}
{{- $resources := .job.resources }}
{{- $gpus := int64 $resources.gpus }}
{{- $nproc := .job.nproc_per_node | default 0 | int64 }}
{{- if and (gt $gpus 0) (gt $nproc $gpus) }}
  {{- printf "nproc_per_node: must be at most resources.gpus (got %d processes, %d GPUs); change one of them\n" $nproc $gpus }}
{{- end }}
{{- if and $resources.shm (ne $resources.shm "false") $resources.memory }}
  {{- if gt (include "rallypoint.quantity" $resources.shm | float64) (include "rallypoint.quantity" $resources.memory | float64) }}
    {{- printf "resources.shm: must be at most resources.memory, as which it counts (got %s and %s); change one\n" $resources.shm $resources.memory }}
  {{- end }}
{{- end }}
{{- if and $resources.memory (include "rallypoint.is_quantity" $resources.memory) }}
  {{- if lt (include "rallypoint.quantity" $resources.memory | float64) 1048576.0 }}
    {{- printf "resources.memory: must be 1Mi or more, a number alone counts bytes (got %s); add a unit, as in 16Gi\n" $resources.memory }}
  {{- end }}
{{- end }}
{{- $own := dict $resources.gpu_resource "resources.gpus" "cpu" "resources.cpu" "memory" "resources.memory" "ephemeral-storage" "resources.ephemeral_storage" }}
{{- with .job.network.rdma }}
  {{- $_ := set $own .resource "network.rdma" }}
{{- end }}
{{- range $name, $amount := $resources.extra }}
  {{- if hasKey $own $name }}
    {{- printf "resources.extra.%s: has a field of its own (got %s); set %s instead\n" (include "rallypoint.part" $name) $amount (get $own $name) }}
  {{- end }}
  {{- if contains "/" $name }}
    {{- $number := include "rallypoint.quantity" $amount | float64 }}
    {{- if ne $number (floor $number) }}
      {{- printf "resources.extra.%s: must be a whole number (got %s); devices cannot be split\n" (include "rallypoint.part" $name) $amount }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}
