# Completion of synapse for bash
_synapse() {
    local current=${COMP_WORDS[COMP_CWORD]} line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files) compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$current")) ;;
        :folders) compopt -o dirnames 2>/dev/null || COMPREPLY=($(compgen -d -- "$current")) ;;
        *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <(PYTHON -I -m synapse_ls completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _synapse synapse synapse-ls
