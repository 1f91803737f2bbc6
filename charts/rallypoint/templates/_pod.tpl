{{/*
The pod template, line by line what the command line prints. Takes the view.
*/}}

{{- define "rallypoint.pod" -}}
metadata:
  labels:
    {{- include "rallypoint.yaml" .pod_labels | nindent 4 }}
  annotations:
    {{- include "rallypoint.yaml" .pod_annotations | nindent 4 }}
spec:
  {{- if or .pod_patch .container_patch }}
  {{- include "rallypoint.patched_pod" . | nindent 2 }}
  {{- else }}
  {{- include "rallypoint.pod_spec" . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "rallypoint.pod_spec" -}}
{{- if .restart_policy }}
restartPolicy: {{ .restart_policy | quote }}
{{- end }}
terminationGracePeriodSeconds: {{ .grace_seconds | int64 }}
enableServiceLinks: false
automountServiceAccountToken: {{ .service_account_token }}
{{- if .service_account }}
serviceAccountName: {{ .service_account | quote }}
{{- end }}
{{- if .image_pull_secrets }}
imagePullSecrets:
  {{- include "rallypoint.yaml" .image_pull_secrets | nindent 2 }}
{{- end }}
{{- if .host_network }}
hostNetwork: true
# else the endpoint's name would be looked up on the machine's name server
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
{{- if .priority_class }}
priorityClassName: {{ .priority_class | quote }}
{{- end }}
{{- if .scheduler_name }}
schedulerName: {{ .scheduler_name | quote }}
{{- end }}
{{- if .node_selector }}
nodeSelector:
  {{- include "rallypoint.yaml" .node_selector | nindent 2 }}
{{- end }}
{{- if .tolerations }}
tolerations:
  {{- include "rallypoint.yaml" .tolerations | nindent 2 }}
{{- end }}
{{- if .affinity }}
affinity:
  {{- include "rallypoint.yaml" .affinity | nindent 2 }}
{{- end }}
{{- if .spread }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: {{ .spread | quote }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "rallypoint.yaml" .selector | nindent 8 }}
{{- end }}
securityContext:
  {{- include "rallypoint.yaml" .pod_security | nindent 2 }}
{{- if .init_containers }}
initContainers:
  {{- include "rallypoint.yaml" .init_containers | nindent 2 }}
{{- end }}
containers:
  - name: {{ .container_name | quote }}
    image: {{ .image | quote }}
    {{- if .image_pull_policy }}
    imagePullPolicy: {{ .image_pull_policy | quote }}
    {{- end }}
    command:
      {{- include "rallypoint.yaml" .command | nindent 6 }}
    workingDir: {{ .workdir | quote }}
    ports:
      - name: {{ .port_name | quote }}
        containerPort: {{ .port | int64 }}
        protocol: TCP
    env:
      {{- include "rallypoint.yaml" .env | nindent 6 }}
    {{- if .env_from }}
    envFrom:
      {{- include "rallypoint.yaml" .env_from | nindent 6 }}
    {{- end }}
    {{- if .resources }}
    resources:
      {{- include "rallypoint.yaml" .resources | nindent 6 }}
    {{- end }}
    securityContext:
      {{- include "rallypoint.yaml" .container_security | nindent 6 }}
    # the launcher writes why it ended
    terminationMessagePolicy: File
    volumeMounts:
      {{- include "rallypoint.yaml" .mounts | nindent 6 }}
  {{- if .sidecars }}
  {{- include "rallypoint.yaml" .sidecars | nindent 2 }}
  {{- end }}
volumes:
  {{- include "rallypoint.yaml" .volumes | nindent 2 }}
{{- end }}

{{/* The pod's spec with the job's merge patches; the training container is the first. */}}
{{- define "rallypoint.patched_pod" -}}
{{- $spec := include "rallypoint.pod_spec" . | fromYaml }}
{{- $spec = include "rallypoint.merged" (dict "target" $spec "patch" .pod_patch) | fromJson }}
{{- $container := include "rallypoint.merged" (dict "target" (first $spec.containers) "patch" .container_patch) | fromJson }}
{{- include "rallypoint.yaml" (set $spec "containers" (prepend (rest $spec.containers) $container)) }}
{{- end }}

{{/* A JSON merge patch (RFC 7386): mappings merge, null removes a key, anything else replaces. Prints JSON. */}}
{{- define "rallypoint.merged" -}}
{{- $result := kindIs "map" .target | ternary .target dict }}
{{- range $key, $value := .patch }}
  {{- if kindIs "invalid" $value }}
    {{- $_ := unset $result $key }}
  {{- else if kindIs "map" $value }}
    {{- $_ := set $result $key (include "rallypoint.merged" (dict "target" (get $result $key) "patch" $value) | fromJson) }}
  {{- else }}
    {{- $_ := set $result $key $value }}
  {{- end }}
{{- end }}
{{- toJson $result }}
{{- end }}
