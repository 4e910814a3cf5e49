{{- define "tributary.name" -}}
{{- if contains "tributary" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-tributary" (.Release.Name | trunc 30 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- /* Of an object of the component: (list $ "api"). */}}
{{- define "tributary.labels" -}}
{{- $root := index . 0 -}}
{{ include "tributary.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end }}

{{- define "tributary.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: tributary
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- /* (list $ "another tag, or nothing") */}}
{{- define "tributary.image" -}}
{{- $image := (index . 0).Values.image -}}
{{- $tag := index . 1 | default $image.tag | default (index . 0).Chart.AppVersion -}}
{{- if and $image.digest (not (index . 1)) }}{{ $image.repository }}@{{ $image.digest }}{{ else }}{{ $image.repository }}:{{ $tag }}{{ end }}
{{- end }}

{{- define "tributary.podSecurity" -}}
automountServiceAccountToken: false
serviceAccountName: {{ .Values.serviceAccountName }}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "tributary.containerSecurity" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- /* Pods of one component are spread over nodes where there are several. */}}
{{- define "tributary.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "tributary.selector" . | nindent 8 }}
{{- end }}

{{- /* The settings of a process: (list $ (dict "NAME" "value of this process")). A change replaces the pods. */}}
{{- define "tributary.settings" -}}
{{- $root := index . 0 -}}
{{- $api := $root.Values.api -}}
{{- $own := dict "API_INSTANCES" (ternary $api.autoscaling.maxReplicas $api.replicas $api.autoscaling.enabled) "METRICS_HOST" "0.0.0.0" "METRICS_PORT" "9464" -}}
{{- if eq (include "tributary.isVersioned" $root) "true" }}{{ $_ := set $own "TEMPORAL_BUILD_ID" (include "tributary.buildId" $root) }}{{ end -}}
{{- if not $root.Values.settings.S3_BUCKET }}{{ $_ := set $own "FILES_DIR" "/var/lib/tributary/files" }}{{ end -}}
envFrom:
  - secretRef: { name: {{ $root.Values.secrets.settings }} }
env:
{{- range $name, $value := merge (index . 1) $root.Values.settings $own }}
  {{- /* YAML reads large numbers as floating-point numbers. */}}
  {{- if kindIs "float64" $value }}{{ $value = printf "%v" (int64 $value) }}{{ end }}
  - { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- /* (list $ "files of marketing resources are used") */}}
{{- define "tributary.mounts" -}}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
{{- if (index . 0).Values.secrets.temporalFiles }}
  - { name: temporal-files, mountPath: /etc/temporal-client, readOnly: true }
{{- end }}
{{- if index . 1 }}
  - { name: files, mountPath: /var/lib/tributary/files }
{{- end }}
{{- end }}

{{- define "tributary.volumes" -}}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
{{- with (index . 0).Values.secrets.temporalFiles }}
  - name: temporal-files
    secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- if index . 1 }}
  - name: files
    persistentVolumeClaim: { claimName: {{ (index . 0).Values.files.claimName }} }
{{- end }}
{{- end }}

{{- /* "true" where files are in a claim; fails where they would be nowhere. */}}
{{- define "tributary.usesClaim" -}}
{{- if not (or .Values.settings.S3_BUCKET .Values.files.claimName) }}
{{- fail "set settings.S3_BUCKET, or files.claimName to a claim that several pods can write to" }}
{{- end }}
{{- not .Values.settings.S3_BUCKET }}
{{- end }}

{{- /* "true" where workers have versions. */}}
{{- define "tributary.isVersioned" -}}
{{- eq (toString .Values.settings.TEMPORAL_VERSIONING) "true" }}
{{- end }}

{{- /* The version of the workers: of a digest its beginning, else the tag. */}}
{{- define "tributary.buildId" -}}
{{- $image := .Values.image -}}
{{- .Values.settings.TEMPORAL_BUILD_ID | default (ternary ($image.digest | trimPrefix "sha256:" | trunc 12) ($image.tag | default .Chart.AppVersion) (not (empty $image.digest))) }}
{{- end }}
