{{/*
Claims, volumes and mounts. Each define prints JSON.
*/}}

{{/* Every claim with a size, each name once, in the spec's order; they outlive the job. */}}
{{- define "rallypoint.claims" -}}
{{- $claims := list }}
{{- $names := list }}
{{- $mode := eq (int64 .nodes) 1 | ternary "ReadWriteOnce" "ReadWriteMany" }}
{{- range include "rallypoint.storages" . | fromJsonArray }}
  {{- $storage := .storage }}
  {{- if and $storage.pvc $storage.size (not (has $storage.pvc $names)) }}
    {{- $names = append $names $storage.pvc }}
    {{- $claims = append $claims (dict
          "name" $storage.pvc
          "size" $storage.size
          "access_mode" ($storage.access_mode | default $mode)
          "storage_class" ($storage.storage_class | default "")) }}
  {{- end }}
{{- end }}
{{- toJson $claims }}
{{- end }}

{{/* Limit of the memory-backed /dev/shm: as given, else half of the memory in whole MiB, else none. */}}
{{- define "rallypoint.shm_size" -}}
{{- if .resources.shm }}{{ .resources.shm }}
{{- else if .resources.memory }}
{{- divf (include "rallypoint.quantity" .resources.memory | float64 | floor) 2097152.0 | floor | int64 | max 1 }}Mi
{{- end }}
{{- end }}

{{/* Whether /dev/shm is ours: wanted, and no volume of the job's own lies there. */}}
{{- define "rallypoint.own_shm" -}}
{{- if and (ne .job.resources.shm "false") (not (has .tables.pod.mounts.shm (include "rallypoint.taken" .job | fromJsonArray))) }}true
{{- end }}
{{- end }}

{{/* Where the job's own volumes lie. */}}
{{- define "rallypoint.taken" -}}
{{- $paths := list }}
{{- range .volumes }}
  {{- $paths = append $paths (regexReplaceAll "/+$" .mount "") }}
{{- end }}
{{- toJson $paths }}
{{- end }}

{{/* A storage as one of the pod's volumes; the key of its source is Kubernetes' own. */}}
{{- define "rallypoint.volume" -}}
{{- $volume := dict "name" .name }}
{{- if .storage.pvc }}
  {{- $_ := set $volume "persistentVolumeClaim" (dict "claimName" .storage.pvc) }}
{{- else }}
  {{- range $source := .sources }}
    {{- if kindIs "map" (get $.storage $source) }}
      {{- $_ := set $volume $source (get $.storage $source) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- toJson $volume }}
{{- end }}

{{/* The pod's volumes. */}}
{{- define "rallypoint.volumes" -}}
{{- $sources := .tables.pod.volume_sources }}
{{- $config := dict "name" (include "rallypoint.files_name" .) "items" (include "rallypoint.files_items" . | fromJsonArray) }}
{{- $volumes := list (dict "name" "config" "configMap" $config) (dict "name" "scratch" "emptyDir" dict) }}
{{- if include "rallypoint.own_shm" . }}
  {{- $memory := dict "medium" "Memory" }}
  {{- with include "rallypoint.shm_size" .job }}
    {{- $_ := set $memory "sizeLimit" . }}
  {{- end }}
  {{- $volumes = append $volumes (dict "name" "shm" "emptyDir" $memory) }}
{{- end }}
{{- range include "rallypoint.storages" .job | fromJsonArray }}
  {{- $name := regexReplaceAll "^volumes\\[(.*)\\]$" .key "volume-${1}" }}
  {{- $volumes = append $volumes (include "rallypoint.volume" (dict "name" $name "storage" .storage "sources" $sources) | fromJson) }}
{{- end }}
{{- toJson $volumes }}
{{- end }}

{{/* The training container's volumeMounts. */}}
{{- define "rallypoint.mounts" -}}
{{- $places := .tables.pod.mounts }}
{{- $mounts := list
      (dict "name" "config" "mountPath" $places.config "readOnly" true)
      (dict "name" "scratch" "mountPath" $places.scratch) }}
{{- if not (has $places.temporary (include "rallypoint.taken" .job | fromJsonArray)) }}
  {{- $mounts = append $mounts (dict "name" "scratch" "mountPath" $places.temporary "subPath" "tmp") }}
{{- end }}
{{- if include "rallypoint.own_shm" . }}
  {{- $mounts = append $mounts (dict "name" "shm" "mountPath" $places.shm) }}
{{- end }}
{{- if .job.output }}
  {{- $mounts = append $mounts (dict "name" "output" "mountPath" $places.output) }}
{{- end }}
{{- if .job.cache }}
  {{- $mounts = append $mounts (dict "name" "cache" "mountPath" $places.cache) }}
{{- end }}
{{- range $path, $text := .scripts }}
  {{- $place := include "rallypoint.script_place" (dict "job" $.job "path" $path) }}
  {{- if hasPrefix "workspace/" $place }}
    {{- $mounts = append $mounts (dict "name" "config" "mountPath" (printf "/%s" $place) "subPath" $place "readOnly" true) }}
  {{- end }}
{{- end }}
{{- range $number, $volume := .job.volumes }}
  {{- $mount := dict "name" (printf "volume-%d" $number) "mountPath" (regexReplaceAll "/+$" .mount "") }}
  {{- with .sub_path }}
    {{- $_ := set $mount "subPath" . }}
  {{- end }}
  {{- if .read_only }}
    {{- $_ := set $mount "readOnly" true }}
  {{- end }}
  {{- $mounts = append $mounts $mount }}
{{- end }}
{{- toJson $mounts }}
{{- end }}
