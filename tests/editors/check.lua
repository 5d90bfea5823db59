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

local function from_guide()
  local text = table.concat(vim.fn.readfile(vim.env.GUIDE), '\n')
  return assert(text:match('\n```lua\n(.-)\n```'), 'the guide has no Lua')
end

local function findings()
  return vim.tbl_map(function(it) return it.code end, vim.diagnostic.get(0))
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, PATIENCE) or {}
  local _, answer = next(answers)
  return answer and (answer.result or answer.err)
end

local function run()
  assert(load(from_guide()))()
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
  check('a hover shows the block', text and text:find('<synapse-rules>', 1, true) ~= nil, hover)

  local status = ask('synapse/status', { uri = vim.uri_from_bufnr(0) })
  check('synapse/status answers', status and status.bracket == 'FRESH', status)

  -- `:qall!` would do, but the server has to leave by itself when it is asked to.
  vim.lsp.stop_client(vim.lsp.get_clients())
  eventually('the server shuts down', function() return #vim.lsp.get_clients() == 0 end)
end

local ok, err = xpcall(run, debug.traceback)
if not ok then
  check('the check itself runs', false, err)
end
vim.cmd(failed > 0 and 'cquit! 1' or 'qall!')
