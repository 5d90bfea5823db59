# Completion of synapse for bash
_synapse() {
    local line
    COMPREPLY=()
    compopt +o default 2>/dev/null # bash 3 has none: it offers files where there is nothing else
    while IFS= read -r line; do
        case $line in
        :files) compopt -o default 2>/dev/null ;;
        :folders) compopt -o dirnames 2>/dev/null ;;
        *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <(PYTHON -I -m synapse_ls completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _synapse synapse synapse-ls
