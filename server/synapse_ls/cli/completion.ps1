# Completion of synapse for PowerShell
Register-ArgumentCompleter -Native -CommandName synapse, synapse-ls -ScriptBlock {
    param($typed, $line, $cursor)
    $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($typed -eq '') { $words += '""' }
    & PYTHON -I -m synapse_ls completion candidates -- @words 2>$null | ForEach-Object {
        $word, $summary = $_ -split "`t", 2
        if (-not $word.StartsWith(':')) {
            if (-not $summary) { $summary = $word }
            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $summary)
        }
    }
}
