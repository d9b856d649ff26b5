# A plugin that does everything right, in as few processes as possible. Tests put one defect in front of it.
# It trusts its caller to send compact JSON; plugins for real use cannot.
set -u
sub=${1-}
name=${0##*/entire-agent-}
fail() { echo "$name: $1" >&2; exit 1; }
[ -n "$sub" ] || fail 'a subcommand is required'
shift
max= dir= id= ref= hook= offset= force= msg= repo= path= sdir=
while [ $# -gt 0 ]; do
  case $1 in
    --max-size) max=$2 ;; --session-dir) dir=$2 ;; --session-id) id=$2 ;; --session-ref) ref=$2 ;; --hook) hook=$2 ;;
    --offset) offset=$2 ;; --message) msg=$2 ;; --repo-path) repo=$2 ;; --path) path=$2 ;; --subagents-dir) sdir=$2 ;; --model) ;;
    --force) force=1; shift; continue ;;
    --local-dev) shift; continue ;;
    *) fail "unexpected $1" ;;
  esac
  shift 2
done
sessions() { printf '%s/.%s/sessions' "$HOME" "$name"; }
text() { printf '%s' "$input" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
json() { input=$(cat); case $input in '{'*'}') ;; *) fail 'stdin is not JSON' ;; esac; }
count() { if [ -f "$1" ]; then grep -c . "$1"; else echo 0; fi; }
settings=$ENTIRE_REPO_ROOT/.$name/hooks
tokens() { echo '{"input_tokens":0,"output_tokens":0,"cache_creation_tokens":0,"cache_read_tokens":0,"api_call_count":0}'; }
case $sub in
  info) cat <<JSON
{"protocol_version":1,"name":"$name","type":"Sample","description":"A plugin for tests","is_preview":true,"protected_dirs":[".$name"],
"hook_names":["start","stop"],"capabilities":{"hooks":true,"transcript_analyzer":true,"transcript_preparer":true,"token_calculator":true,
"text_generator":true,"hook_response_writer":true,"subagent_aware_extractor":true,"compact_transcript":true,"caller_env_vars":["SAMPLE_RUN"]}}
JSON
  ;;
  detect) echo '{"present":true}' ;;
  get-session-id) json; printf '{"session_id":"%s"}' "$(text session_id)" ;;
  get-session-dir) printf '{"session_dir":"%s"}' "$(sessions)" ;;
  resolve-session-file)
    [ -n "$dir" ] && [ -n "$id" ] || fail '--session-dir and --session-id are needed'
    case $id in */*) fail 'not a session id' ;; esac
    printf '{"session_file":"%s/%s.log"}' "$dir" "$id" ;;
  read-session)
    json; ref=$(text session_ref)
    printf '{"session_id":"%s","agent_name":"%s","repo_path":"%s","session_ref":"%s","start_time":"%s","native_data":"%s","modified_files":[],"new_files":null,"deleted_files":null}' \
      "$(text session_id)" "$name" "$ENTIRE_REPO_ROOT" "$ref" "$(text timestamp)" "$(base64 -w0 "$ref")" ;;
  write-session)
    json; ref=$(text session_ref)
    case $ref in "$(sessions)"/*) ;; *) fail "$ref is outside" ;; esac
    mkdir -p "$(dirname "$ref")"; text native_data | base64 -d > "$ref" ;;
  read-transcript) cat "$ref" ;;
  chunk-transcript)
    case $max in ''|*[!0-9]*|0) fail '--max-size must be a positive number' ;; esac
    # A line of the encoding is a chunk: as many bytes as fit, by threes.
    printf '{"chunks":['; base64 -w $((max / 3 * 4)) | sed 's/.*/"&"/; $!s/$/,/' | tr -d '\n'; printf ']}' ;;
  reassemble-transcript)
    json; body=${input#*[}; body=${body%]*}
    case $body in *[!A-Za-z0-9+/=\",]*) fail 'a chunk is not base64' ;; esac
    printf '%s' "$body" | tr -d '",' | base64 -d ;;
  format-resume-command) printf '{"command":"sample --resume %s"}' "$id" ;;
  parse-hook)
    input=$(cat); [ -n "$input" ] || { echo null; exit 0; }
    case $hook in start) type=1 ;; stop) type=3 ;; *) echo null; exit 0 ;; esac
    printf '{"type":%s,"session_id":"%s","timestamp":"%s"}' "$type" "$(text session_id)" "$(text timestamp)" ;;
  install-hooks)
    if [ -f "$settings" ] && [ -z "$force" ]; then echo '{"hooks_installed":0}'; exit 0; fi
    mkdir -p "$(dirname "$settings")"; echo 'start stop' > "$settings"; echo '{"hooks_installed":2}' ;;
  uninstall-hooks) rm -f "$settings"; rmdir "$(dirname "$settings")" 2>/dev/null; exit 0 ;;
  are-hooks-installed) if [ -f "$settings" ]; then echo '{"installed":true}'; else echo '{"installed":false}'; fi ;;
  get-transcript-position) printf '{"position":%s}' "$(count "$path")" ;;
  extract-modified-files) printf '{"files":null,"current_position":%s}' "$(count "$path")" ;;
  extract-prompts) echo '{"prompts":[]}' ;;
  extract-summary) echo '{"summary":"","has_summary":false}' ;;
  prepare-transcript) ;;
  calculate-tokens|calculate-total-tokens) tokens ;;
  generate-text) echo '{"text":"An answer."}' ;;
  write-hook-response) printf '{"systemMessage":"%s"}\n' "$msg" ;;
  extract-all-modified-files) echo '{"files":[]}' ;;
  compact-transcript) printf '{"transcript":"%s"}' "$(base64 -w0 "$ref")" ;;
  *) fail "unknown subcommand $sub" ;;
esac
