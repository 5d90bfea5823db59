# Completion of synapse for fish
function __synapse_candidates
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l found (PYTHON -I -m synapse_ls completion candidates -- $words[2..-1] "$typed" 2>/dev/null)
    switch "$found[1]"
        case ':files'
            __fish_complete_path "$typed"
        case ':folders'
            __fish_complete_directories "$typed"
        case '*'
            printf '%s\n' $found
    end
end
complete -c synapse -f -a '(__synapse_candidates)'
complete -c synapse-ls -f -a '(__synapse_candidates)'
