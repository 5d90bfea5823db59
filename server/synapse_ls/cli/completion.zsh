#compdef synapse synapse-ls
# Completion of synapse for zsh
_synapse() {
    local line
    local -a described
    while IFS= read -r line; do
        case $line in
        :files) _files; return ;;
        :folders) _files -/; return ;;
        esac
        described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done < <(PYTHON -I -m synapse_ls completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    _describe -V synapse described
}
if [ "$funcstack[1]" = "_synapse" ]; then
    _synapse "$@"
else
    compdef _synapse synapse synapse-ls
fi
