{{/*
What the ConfigMap may hold, and that it does not change under a living name.
*/}}

{{/* Refuses more than a client-side apply can send; takes (dict "data" ... "largest" ...). */}}
{{- define "rallypoint.refuse_too_much_config" -}}
{{- $total := 0 }}
{{- $launcher := 0 }}
{{- $others := list }}
{{- range $key, $text := .data }}
  {{- /* as kubectl stores it: JSON, with <, > and & as six letters each */}}
  {{- $size := len (toJson $text) }}
  {{- $total = add $total $size }}
  {{- if hasPrefix "launcher." $key }}
    {{- $launcher = add $launcher $size }}
  {{- else }}
    {{- $others = append $others (printf "%012d %s %d KiB" $size $key (div $size 1024)) }}
  {{- end }}
{{- end }}
{{- $largest := int64 .largest }}
{{- if gt $total $largest }}
  {{- $listed := list }}
  {{- range sortAlpha $others | reverse }}
    {{- if lt (len $listed) 3 }}
      {{- $listed = append $listed (regexReplaceAll "^[0-9]+ " . "") }}
    {{- end }}
  {{- end }}
  {{- fail (printf "the job cannot be installed as it stands:\nscript: too large for a ConfigMap (%d KiB of %d: %s, launcher %d KiB); %s"
        (div $total 1024) (div $largest 1024) (join ", " $listed) (div $launcher 1024)
        "put large files into the image or on a volume and give their absolute path") }}
{{- end }}
{{- end }}

{{/*
Refuses an upgrade that would change the run, before anything is sent. Some kinds would take it and mix old and new
pods; the API server refuses the ConfigMap alone, and only after other objects have changed. Without a cluster there
is nothing to compare with. Takes (dict "root" "view" "data" "installed").
*/}}
{{- define "rallypoint.refuse_changed_run" -}}
{{- $living := include "rallypoint.living" (dict "root" .root "name" .view.name "kind" .view.kind) | fromJson }}
{{- $changed := list }}
{{- if $living.data }}
  {{- $changed = include "rallypoint.changed_keys" (list $living.data .data) | fromJsonArray }}
{{- end }}
{{- if and $living.workload $living.installed }}
  {{- $now := .installed | fromJson }}
  {{- $changed = include "rallypoint.changed_keys" (list $living.installed.run $now.run) | fromJsonArray | concat $changed | uniq }}
{{- end }}
{{- if $changed }}
  {{- fail (printf "the job cannot be installed as it stands:\nname: another run lives under it (ConfigMap %s; it differs in %s); uninstall its release first, which keeps its claims, or install this one under another name"
        .view.config_name (join ", " $changed)) }}
{{- end }}
{{- end }}

{{/* JSON: the keys in which two maps of texts differ. */}}
{{- define "rallypoint.changed_keys" -}}
{{- $old := index . 0 }}
{{- $new := index . 1 }}
{{- $changed := list }}
{{- range concat (keys $old) (keys $new) | uniq | sortAlpha }}
  {{- if ne (get $old . | toString) (get $new . | toString) }}
    {{- $changed = append $changed . }}
  {{- end }}
{{- end }}
{{- toJson $changed }}
{{- end }}
