/**
 * Completion scripts of the shells. They call `windlass __complete`, which prints one candidate per line, followed by a
 * tab and a description; the last line is a directive for the shell: `:files`, `:folders`, `:nospace` or `:done`.
 */
export const completionScripts: ReadonlyMap<string, string> = new Map([
  [
    "bash",
    `# windlass completion for bash. In ~/.bashrc: eval "$(windlass completion bash)"
_windlass() {
  local i word glue="" words=() cur="" line directive=":done"
  # Bash takes key=value apart; here it is one word again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ \${#words[@]} -gt 0 && ( $word == [=:] || -n $glue ) ]]; then
      words[\${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
    if [[ $word == [=:] ]]; then glue=1; else glue=""; fi
  done
  if [[ \${#words[@]} -gt 0 ]]; then cur="\${words[\${#words[@]}-1]}"; fi
  # What stands before the last "=" or ":" stays as it is typed.
  local before="\${cur%"\${cur##*[=:]}"}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :*) directive="$line" ;;
      *) line="\${line%%$'\\t'*}"; COMPREPLY+=("\${line#"$before"}") ;;
    esac
  done < <(windlass __complete "\${words[@]}" 2>/dev/null)
  case "$directive" in
    :files) compopt -o default 2>/dev/null ;;
    :folders) compopt -o dirnames 2>/dev/null ;;
    :nospace) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -F _windlass windlass`,
  ],
  [
    "zsh",
    `#compdef windlass
# windlass completion for zsh. In ~/.zshrc, after compinit: eval "$(windlass completion zsh)"
_windlass() {
  local -a candidates
  local line directive=":done" tab=$'\\t'
  while IFS= read -r line; do
    case "$line" in
      :*) directive="$line" ;;
      *) candidates+=("\${\${line%%$tab*}//:/\\\\:}:\${line#*$tab}") ;;
    esac
  done < <(windlass __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  case "$directive" in
    :nospace) _describe -t values windlass candidates -S '' ;;
    *) (( \${#candidates} )) && _describe -t values windlass candidates ;;
  esac
  case "$directive" in
    :files) _files ;;
    :folders) _files -/ ;;
  esac
}
compdef _windlass windlass`,
  ],
  [
    "fish",
    `# windlass completion for fish: windlass completion fish > ~/.config/fish/completions/windlass.fish
function __windlass_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l token (commandline -ct)
    for line in (windlass __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path $token
            case ':folders'
                __fish_complete_directories $token
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c windlass -f -a '(__windlass_complete)'`,
  ],
]);
