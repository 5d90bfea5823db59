-- The server in Neovim, set up with the Lua of the guide. Run by scripts/test-editors.
--
-- Environment: GUIDE, the page with the set-up; WORKSPACE, a copy of the example workspace.

local failed = 0

local function check(name, ok, detail)
  io.stdout:write(('%s %s\n'):format(ok and 'ok     ' or 'FAILED ', name))
  if not ok then
    failed = failed + 1
    io.stdout:write(('        %s\n'):format(vim.inspect(detail):gsub('\n', '\n        ')))
  end
end

-- Milliseconds that a condition may take.
local PATIENCE = 20000

local function eventually(name, condition, state)
  local ok = vim.wait(PATIENCE, condition, 10)
  check(name, ok, not ok and state and state() or nil)
end

-- The first Lua in a section of the guide.
local function from_guide(section)
  local text = table.concat(vim.fn.readfile(vim.env.GUIDE), '\n')
  local _, start = text:find('\n## ' .. section .. '\n', 1, true)
  return assert(text:match('\n```lua\n(.-)\n```', start), 'the guide has no Lua')
end

local function findings()
  return vim.tbl_map(function(it) return it.code end, vim.diagnostic.get(0))
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, PATIENCE) or {}
  local _, answer = next(answers)
  return answer and (answer.result or answer.err)
end

local function keys(text)
  return vim.api.nvim_replace_termcodes(text, true, false, true)
end

-- The words of the menu that completion opens at the end of the line.
local function completed()
  local words = {}
  local rounds = 0
  local function look()
    rounds = rounds + 1
    if vim.fn.pumvisible() == 1 then
      local offered = vim.fn.complete_info({ 'items' }).items
      words = vim.tbl_map(function(it) return it.abbr ~= '' and it.abbr or it.word end, offered)
    end
    if #words > 0 or rounds * 20 > PATIENCE then
      vim.api.nvim_feedkeys(keys('<C-e><Esc>'), 'n', false)
    else
      vim.defer_fn(look, 20)
    end
  end
  vim.defer_fn(look, 20)
  vim.api.nvim_feedkeys(keys('A<C-x><C-o>'), 'x!', false)
  return words
end

local function lenses()
  return vim.tbl_map(function(it) return it.command and it.command.title or '' end,
    vim.lsp.codelens.get(0))
end

local function hints()
  local found = vim.lsp.inlay_hint.get({ bufnr = 0 })
  return vim.tbl_map(function(it) return it.inlay_hint.label end, found)
end

local function shown_around_the_text()
  eventually('a hint tells the share of the budget', function()
    return vim.iter(hints()):any(function(it) return it:find('% of the FRESH budget', 1, true) end)
  end, hints)
  local line = vim.fn.search('^TESTING_RECALL=', 'w')
  local function types()
    local found = vim.lsp.semantic_tokens.get_at_pos(0, line - 1, 2) or {}
    return vim.tbl_map(function(it) return it.type end, found)
  end
  eventually('a domain has the colour of its kind', function()
    return vim.tbl_contains(types(), 'namespace')
  end, types)
  eventually('a domain can be folded', function()
    vim.cmd.normal({ 'zx', bang = true })
    return vim.fn.foldlevel(line) > 0
  end)
end

local function helped_with_writing()
  local line = vim.fn.search('^TESTING_STATE=', 'w')
  local sound = vim.fn.getline(line)
  vim.fn.setline(line, 'TESTING_STATE=')
  vim.fn.cursor(line, 1)
  local words = completed()
  check('completion offers the states', vim.tbl_contains(words, 'inactive'), words)

  vim.fn.setline(line, 'TESTING_STATE:active')
  eventually('a line with a colon is found', function() return #findings() > 0 end, findings)
  vim.fn.cursor(line, 14)
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { 'quickfix' } },
    filter = function(it) return it.title:find('Write', 1, true) end,
  })
  eventually('a code action mends it', function()
    return vim.fn.getline(line) == 'TESTING_STATE=active'
  end, function() return vim.fn.getline(line) end)
  vim.fn.setline(line, sound)
  eventually('and the finding goes', function() return #findings() == 0 end, findings)
end

local function mended_on_save()
  assert(load(from_guide('Fix and format on save')))()
  local line = vim.fn.search('^CONSTITUTION_STATE=', 'w')
  vim.fn.setline(line, 'CONSTITUTION_STATE=inactive   ')
  vim.cmd('silent write')
  local written = vim.fn.readfile(vim.api.nvim_buf_get_name(0))[line]
  check('saving mends what is written', written == 'CONSTITUTION_STATE=active', written)
  vim.fn.setline(line, 'CONSTITUTION_STATE=active   ')
  vim.cmd('silent write')
  written = vim.fn.readfile(vim.api.nvim_buf_get_name(0))[line]
  check('saving lays out where nothing is to mend', written == 'CONSTITUTION_STATE=active', written)
end

local function told_above_rules()
  vim.cmd.edit(vim.env.WORKSPACE .. '/.synapse/testing')
  eventually('a lens tells what a rule file comes to', function()
    vim.lsp.codelens.refresh({ bufnr = 0 })
    vim.wait(100, function() return #lenses() > 0 end, 10)
    return vim.iter(lenses()):any(function(it) return it:find('4 rules · 79 tokens', 1, true) end)
  end, lenses)
end

local function other_files()
  for _, name in ipairs({ 'agent-dev.env', 'testing.md' }) do
    vim.cmd.edit(vim.env.WORKSPACE .. '/.synapse/' .. name)
    eventually(('%s has the server'):format(name), function()
      return #vim.lsp.get_clients({ bufnr = 0, name = 'synapse' }) == 1
    end, function() return vim.bo.filetype end)
  end
  told_above_rules()
  vim.cmd.edit(vim.env.WORKSPACE .. '/.synapse/manifest')
end

local function run()
  vim.o.showmode = false
  vim.opt.shortmess:append('c')
  assert(load(from_guide('Neovim')))()
  vim.cmd.edit(vim.env.WORKSPACE .. '/.synapse/manifest')
  check('a manifest has our file type', vim.bo.filetype == 'synapse', vim.bo.filetype)
  eventually('the server starts with the file', function()
    return #vim.lsp.get_clients({ bufnr = 0, name = 'synapse' }) == 1
  end)
  eventually('the status line learns bracket and share left', function()
    return vim.g.synapse_context == 'FRESH 100%'
  end, function() return vim.g.synapse_context end)

  local line = vim.fn.search('^TESTING_STATE=', 'w')
  local sound = vim.fn.getline(line)
  vim.fn.setline(line, (sound:gsub('=', ' ')))
  eventually('a broken line is found', function()
    return vim.tbl_contains(findings(), 'SYN103')
  end, findings)
  vim.fn.setline(line, sound)
  eventually('mending the line takes the finding away', function() return #findings() == 0 end, findings)

  vim.fn.cursor(vim.fn.search('^TESTING_RECALL=', 'w'), 3)
  local hover = ask('textDocument/hover', vim.lsp.util.make_position_params(0, 'utf-16'))
  local text = vim.tbl_get(hover or {}, 'contents', 'value')
  check('a hover shows its part of the block', text and text:find('[KEYWORD MATCHES]', 1, true) ~= nil, hover)

  shown_around_the_text()
  helped_with_writing()

  local status = ask('synapse/status', { uri = vim.uri_from_bufnr(0) })
  check('synapse/status answers', status and status.bracket == 'FRESH', status)

  other_files()
  mended_on_save()

  -- `:qall!` would do, but the server has to leave by itself when it is asked to.
  vim.lsp.stop_client(vim.lsp.get_clients())
  eventually('the server shuts down', function() return #vim.lsp.get_clients() == 0 end)
end

local ok, err = xpcall(run, debug.traceback)
if not ok then
  check('the check itself runs', false, err)
end
vim.cmd(failed > 0 and 'cquit! 1' or 'qall!')
