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
Refuses an upgrade that would change the run, before anything is sent: the API server would refuse the ConfigMap
only after other objects have changed. Without a cluster there is nothing to compare with. Takes (dict "root"
"name" "data").
*/}}
{{- define "rallypoint.refuse_changed_run" -}}
{{- if .root.Release.IsUpgrade }}
  {{- $live := lookup "v1" "ConfigMap" .root.Release.Namespace .name | default dict }}
  {{- $changed := list }}
  {{- if $live.data }}
    {{- range $key, $text := .data }}
      {{- if ne $text (get $live.data $key) }}
        {{- $changed = append $changed $key }}
      {{- end }}
    {{- end }}
  {{- end }}
  {{- if $changed }}
    {{- fail (printf "the job cannot be installed as it stands:\nname: another run lives under it (ConfigMap %s differs in %s); uninstall its release first, which keeps its claims, or install this one under another name"
          .name (join ", " $changed)) }}
  {{- end }}
{{- end }}
{{- end }}
