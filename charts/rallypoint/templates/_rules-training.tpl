{{/*
What is wrong with `training_args`, between arguments and under old names. Types, choices and ranges are in
values.schema.json.
*/}}

{{- define "rallypoint.rules.training" -}}
{{- if .job.train }}
  {{- $given := .job.train.training_args | default dict }}
  {{- $tables := .tables.training }}
  {{- range $name, $value := $given }}
    {{- $shown := include "rallypoint.shown" $value }}
    {{- if hasKey $tables.gone $name }}
      {{- printf "train.training_args.%s: is no argument of transformers %s (got %s); %s\n" $name $tables.version $shown (get $tables.gone $name) }}
    {{- else if hasKey $tables.owned $name }}
      {{- $got := contains "token" $name | ternary "" (printf " (got %s)" $shown) }}
      {{- printf "train.training_args.%s: is not for a job file%s: %s\n" $name $got (get $tables.owned $name) }}
    {{- else if and (eq $name "save_safetensors") (eq $shown "false") }}
      {{- printf "train.training_args.%s: is gone: transformers 5 always saves safetensors; remove it\n" $name }}
    {{- else }}
      {{- include "rallypoint.rules.old_name" (dict "name" $name "value" $value "given" $given "tables" $tables) }}
    {{- end }}
  {{- end }}
  {{- include "rallypoint.rules.together" (include "rallypoint.arguments" (dict "given" $given "tables" $tables) | fromJson) }}
{{- end }}
{{- end }}

{{/* An old name beside the new one that stands in its place. */}}
{{- define "rallypoint.rules.old_name" -}}
{{- $new := get .tables.renamed .name }}
{{- if and (hasKey .tables.flags .name) (eq (toJson .value) "true") }}
  {{- $new = index (get .tables.flags .name) 0 }}
{{- end }}
{{- if and $new (hasKey .given $new) }}
  {{- printf "train.training_args.%s: the old name of %s, given too (got %s and %s); keep %s\n"
        .name $new (include "rallypoint.shown" .value) (include "rallypoint.shown" (get .given $new)) $new }}
{{- end }}
{{- end }}

{{/* The arguments that are judged together, under today's names, with their defaults; JSON. */}}
{{- define "rallypoint.arguments" -}}
{{- $found := deepCopy .tables.defaults }}
{{- range $name, $value := include "rallypoint.todays_arguments" (list .given .tables) | fromJson }}
  {{- if hasKey $found $name }}
    {{- $_ := set $found $name $value }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end }}

{{- define "rallypoint.rules.together" -}}
{{- $evaluate := "needs evaluation (eval_strategy is 'no'); set eval_strategy to epoch or steps" }}
{{- if .load_best_model_at_end }}
  {{- include "rallypoint.rules.best_model" . }}
{{- end }}
{{- range $pair := list (list "fp16" "bf16") (list "fp16_full_eval" "bf16_full_eval") }}
  {{- $half := index $pair 0 }}
  {{- $full := index $pair 1 }}
  {{- if and (get $ $half) (get $ $full) }}
    {{- printf "train.training_args.%s: only one of %s and %s can be true (got both); remove one\n" $half $half $full }}
  {{- end }}
{{- end }}
{{- if and (has .lr_scheduler_type (list "reduce_lr_on_plateau" "greedy")) (eq .eval_strategy "no") }}
  {{- printf "train.training_args.lr_scheduler_type: %s %s\n" .lr_scheduler_type $evaluate }}
{{- end }}
{{- if eq (toJson .dataloader_num_workers) "0" }}
  {{- range $name := list "dataloader_prefetch_factor" "dataloader_persistent_workers" }}
    {{- with get $ $name }}
      {{- printf "train.training_args.%s: needs loader workers (got %s and dataloader_num_workers 0); set dataloader_num_workers to 1 or more\n" $name (include "rallypoint.shown" .) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- if and (eq .save_strategy "best") (eq .eval_strategy "no") }}
  {{- printf "train.training_args.save_strategy: best %s\n" $evaluate }}
{{- end }}
{{- end }}

{{/* Why the best model could not be loaded at the end. */}}
{{- define "rallypoint.rules.best_model" -}}
{{- $key := "train.training_args.load_best_model_at_end" }}
{{- if and (eq .save_strategy "best") (ne .eval_strategy "no") }}
{{- else if or (ne .eval_strategy .save_strategy) (eq .eval_strategy "no") }}
  {{- printf "%s: needs equal strategies for evaluation and saving (eval_strategy is '%s', save_strategy is '%s'); set both to epoch or both to steps\n" $key .eval_strategy .save_strategy }}
{{- else if eq .eval_strategy "steps" }}
  {{- $saves := float64 .save_steps }}
  {{- $evaluations := kindIs "invalid" .eval_steps | ternary .logging_steps .eval_steps | float64 }}
  {{- /* as the Trainer does for ratios: whole numbers escape the float's remainder */}}
  {{- $millionths := round (mulf $evaluations 1000000) 0 | int64 }}
  {{- $rest := 1 }}
  {{- if ne $millionths 0 }}
    {{- $rest = mod (round (mulf $saves 1000000) 0 | int64) $millionths }}
  {{- end }}
  {{- if or (ne (lt $saves 1.0) (lt $evaluations 1.0)) (ne $rest 0) }}
    {{- printf "%s: needs every save at an evaluation (save_steps is %s, eval_steps is %s); make save_steps a multiple of eval_steps\n" $key (toJson $saves) (toJson $evaluations) }}
  {{- end }}
{{- end }}
{{- end }}
