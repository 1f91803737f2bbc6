{{/*
What an earlier install of the release has left in the cluster, and what an upgrade makes of it. Empty on a first
install, and wherever helm cannot see a cluster. Each define prints JSON unless it says otherwise.
*/}}

{{/*
{"data": the contract's ConfigMap's, "installed": what its annotation says of the run, "workload": whether there
is one, "replicas": of a StatefulSet}. Takes (dict "root" "name" "kind"), the kind as in the values.
*/}}
{{- define "rallypoint.living" -}}
{{- $root := .root }}
{{- if not (hasKey $root "rallypointLiving") }}
  {{- $living := dict }}
  {{- if $root.Release.IsUpgrade }}
    {{- $config := lookup "v1" "ConfigMap" $root.Release.Namespace (include "rallypoint.config_name" .) | default dict }}
    {{- $installed := dig "metadata" "annotations" "rallypoint.dev/installed" "{}" $config | fromJson }}
    {{- $kind := get ($root.Files.Get "files/tables.json" | fromJson).kinds ($installed.kind | default .kind) }}
    {{- $workload := lookup $kind.api_version $kind.title $root.Release.Namespace .name | default dict }}
    {{- $living = dict
          "data" ($config.data | default dict)
          "installed" $installed
          "workload" (not (empty $workload))
          "replicas" (dig "spec" "replicas" -1 $workload | toJson) }}
  {{- end }}
  {{- $_ := set $root "rallypointLiving" (toJson $living) }}
{{- end }}
{{- $root.rallypointLiving }}
{{- end }}

{{/*
The view as an upgrade may have it: the pods of a run keep the labels and annotations that they started with,
because a Job's template cannot change and the others' would hold for replaced pods alone. Takes (dict "root" "view").
*/}}
{{- define "rallypoint.kept" -}}
{{- $living := include "rallypoint.living" (dict "root" .root "name" .view.name "kind" .view.kind) | fromJson }}
{{- $view := .view }}
{{- if and $living.workload $living.installed }}
  {{- $_ := set $view "pod_labels" $living.installed.pod_labels }}
  {{- $_ = set $view "pod_annotations" $living.installed.pod_annotations }}
{{- end }}
{{- toJson $view }}
{{- end }}

{{/*
What the annotation of the contract's ConfigMap says of the run: its kind, the pods' labels and annotations, and a
short hash of every decision that an upgrade must not change. Takes (dict "root" "view").
*/}}
{{- define "rallypoint.installed" -}}
{{- $free := list "labels" "annotations" "pod_labels" "pod_annotations" "suspend" "ttl_seconds" "policy" }}
{{- if eq .view.kind "job" }}
  {{- /* the others have it in a template that cannot change */}}
  {{- $free = append $free "deadline_seconds" }}
{{- end }}
{{- $run := dict }}
{{- range $field, $value := .view }}
  {{- if eq $field "volumes" }}
    {{- /* the first one is named by contract and launcher, which are compared by themselves */}}
    {{- $value = rest $value }}
  {{- end }}
  {{- if and $value (not (has $field $free)) (ne $field "files_name") }}
    {{- $_ := set $run $field (toJson $value | sha256sum | trunc 8) }}
  {{- end }}
{{- end }}
{{- with (.root.Values.network | default dict).annotations }}
  {{- $_ := set $run "network.annotations" (include "rallypoint.texts" . | sha256sum | trunc 8) }}
{{- end }}
{{- $_ := set $run "launcher" ((include "rallypoint.context" .root | fromJson).launcher | toJson | sha256sum | trunc 8) }}
{{- dict "kind" .view.kind "pod_labels" .view.pod_labels "pod_annotations" .view.pod_annotations "run" $run | toJson }}
{{- end }}

{{/* Text: the pods of a StatefulSet. One that was scaled to 0 stays there. Takes (dict "root" "view"). */}}
{{- define "rallypoint.replicas" -}}
{{- $living := include "rallypoint.living" (dict "root" .root "name" .view.name "kind" .view.kind) | fromJson }}
{{- eq ($living.replicas | default "") "0" | ternary 0 (int64 .view.nodes) }}
{{- end }}

{{/*
Text: when helm makes the TrainingRuntime. Before an install, and before an upgrade that finds no TrainJob, which
is one that an install has failed to make. Never while its TrainJob lives: deleting it would hang.
Takes (dict "root" "view").
*/}}
{{- define "rallypoint.runtime_hook" -}}
{{- $living := include "rallypoint.living" (dict "root" .root "name" .view.name "kind" .view.kind) | fromJson }}
{{- and .root.Release.IsUpgrade (hasKey $living "workload") (not $living.workload) | ternary "pre-install,pre-upgrade" "pre-install" }}
{{- end }}

{{/* The keys besides labels and annotations that an upgrade may change. Takes (dict "root" "kind"). */}}
{{- define "rallypoint.upgradable" -}}
{{- $tables := .root.Files.Get "files/tables.json" | fromJson }}
{{- $found := list }}
{{- range $key := eq .kind "job" | ternary (list "suspend" "ttl" "deadline") (list "suspend" "ttl") }}
  {{- if not (hasKey (get $tables.lacks $key | default dict) $.kind) }}
    {{- $found = append $found $key }}
  {{- end }}
{{- end }}
{{- toJson $found }}
{{- end }}
