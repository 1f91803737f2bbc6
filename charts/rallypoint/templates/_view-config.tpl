{{/*
What the pods read: the contract, the launcher and the scripts, as the data of one ConfigMap. The defines print
JSON unless they say otherwise.
*/}}

{{/* Text: path of a script below the ConfigMap's mount. */}}
{{- define "rallypoint.script_place" -}}
{{- if and (eq .path "inline.py") .job.script.inline }}script/inline.py
{{- else }}workspace/{{ clean .path }}
{{- end }}
{{- end }}

{{/* Each script's key in the ConfigMap by its path: numbered, because a/b.py and a.b.py may both be there. */}}
{{- define "rallypoint.script_keys" -}}
{{- $keys := dict }}
{{- $number := 0 }}
{{- range $path, $text := . }}
  {{- $name := regexReplaceAll "[^-._A-Za-z0-9]" (base $path) "_" | trunc -200 }}
  {{- $_ := set $keys $path (printf "script.%d.%s" $number $name) }}
  {{- $number = add1 $number }}
{{- end }}
{{- toJson $keys }}
{{- end }}

{{/* Where each key of the ConfigMap lies below its mount. */}}
{{- define "rallypoint.files_items" -}}
{{- $items := list (dict "key" "contract.json" "path" "contract.json") }}
{{- range $name, $_ := .launcher }}
  {{- $items = append $items (dict "key" (printf "launcher.%s" $name) "path" (printf "launcher/%s" $name)) }}
{{- end }}
{{- range $path, $key := include "rallypoint.script_keys" .scripts | fromJson }}
  {{- $items = append $items (dict "key" $key "path" (include "rallypoint.script_place" (dict "job" $.job "path" $path))) }}
{{- end }}
{{- toJson $items }}
{{- end }}

{{/* `train` or `script` as the values have them; an inline script is shipped as a file. */}}
{{- define "rallypoint.program" -}}
{{- if .job.train }}
  {{- $train := deepCopy .job.train }}
  {{- if $train.training_args }}
    {{- $_ := set $train "training_args" (include "rallypoint.todays_arguments" (list $train.training_args .tables.training) | fromJson) }}
  {{- end }}
  {{- dict "train" $train | toJson }}
{{- else if .job.script }}
  {{- $script := omit .job.script "files" }}
  {{- if $script.inline }}
    {{- $_ := set $script "inline" true }}
  {{- end }}
  {{- dict "script" $script | toJson }}
{{- else }}{}
{{- end }}
{{- end }}

{{/* The contract between what generated the pod and what runs in it. */}}
{{- define "rallypoint.contract" -}}
{{- $job := .job }}
{{- $places := .tables.pod.mounts }}
{{- $files := dict }}
{{- range $path, $text := .scripts }}
  {{- $_ := set $files $path (sha256sum $text) }}
{{- end }}
{{- $contract := dict
      "version" 1
      "name" $job.name
      "nodes" $job.nodes
      "nproc_per_node" .nproc
      "gpus" $job.resources.gpus
      "endpoint" (printf "%s:%d" (include "rallypoint.endpoint_name" $job) (int64 $job.rendezvous.port))
      "agent" $job.rendezvous.agent
      "rendezvous_timeout_seconds" (include "rallypoint.seconds" $job.rendezvous.timeout | int64)
      "max_restarts" $job.max_restarts
      "grace_period_seconds" (include "rallypoint.seconds" $job.grace_period | int64)
      "output" (empty $job.output | ternary nil (printf "%s/%s" $places.output $job.name))
      "workdir" $places.workdir
      "idle_when_done" (eq $job.kind "statefulset")
      "image" $job.image
      "debug" $job.debug
      "files" $files }}
{{- merge $contract (include "rallypoint.program" . | fromJson) | toJson }}
{{- end }}

{{/* The contract alone, which says by digests what the scripts are. */}}
{{- define "rallypoint.config_data" -}}
{{- $contract := include "rallypoint.contract" (include "rallypoint.context" . | fromJson) | fromJson }}
{{- dict "contract.json" (printf "%s\n" (toPrettyJson $contract)) | toJson }}
{{- end }}

{{/* Every file's text by its key in the ConfigMap that the pods mount. */}}
{{- define "rallypoint.files_data" -}}
{{- $context := include "rallypoint.context" . | fromJson }}
{{- $data := include "rallypoint.config_data" . | fromJson }}
{{- range $path, $text := .Files.Glob "files/launcher/*.py" }}
  {{- $_ := set $data (printf "launcher.%s" (base $path)) (toString $text) }}
{{- end }}
{{- range $path, $key := include "rallypoint.script_keys" $context.scripts | fromJson }}
  {{- $_ := set $data $key (get $context.scripts $path) }}
{{- end }}
{{- toJson $data }}
{{- end }}

{{/* `training_args` with old names replaced and a strategy's false spelled `no`: (list arguments tables); JSON. */}}
{{- define "rallypoint.todays_arguments" -}}
{{- $tables := index . 1 }}
{{- $found := dict }}
{{- range $name, $value := index . 0 }}
  {{- /* YAML 1.1 reads a bare no as false */ -}}
  {{- if and (has $name $tables.strategies) (eq (toJson $value) "false") }}
    {{- $value = "no" }}
  {{- end }}
  {{- if hasKey $tables.flags $name }}
    {{- if $value }}
      {{- $change := get $tables.flags $name }}
      {{- $_ := set $found (index $change 0) (index $change 1) }}
    {{- end }}
  {{- else if not (has $name $tables.without_effect) }}
    {{- $_ := set $found (get $tables.renamed $name | default $name) $value }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end }}
