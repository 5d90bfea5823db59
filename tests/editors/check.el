;;; check.el --- The server in Emacs, set up with the Lisp of the guide  -*- lexical-binding: t -*-

;; Run by scripts/test-editors.  Environment: GUIDE, the page with the set-up; WORKSPACE, a copy of
;; the example workspace.

;;; Code:

(require 'cl-lib)
(require 'package)
(package-initialize)

(defvar failed 0)
(defconst patience 20 "Seconds that a condition may take.")

(defun check (name ok &optional detail)
  (princ (format "%s %s\n" (if ok "ok     " "FAILED ") name))
  (unless ok
    (setq failed (1+ failed))
    (princ (format "        %S\n" detail))))

(defmacro eventually (name condition &optional state)
  "Check NAME once CONDITION holds, reading from the server meanwhile; STATE is told otherwise."
  `(let ((end (+ (float-time) patience)) (ok nil))
     (while (and (not (setq ok ,condition)) (< (float-time) end))
       (accept-process-output nil 0.01))
     (check ,name ok (and (not ok) ,state))))

(defun load-guide (section)
  "Evaluate the first Lisp in SECTION of the guide."
  (with-temp-buffer
    (insert-file-contents (getenv "GUIDE"))
    (search-forward (format "\n## %s\n" section))
    (search-forward "\n```elisp\n")
    (let ((start (point)))
      (search-forward "\n```")
      (eval-region start (match-beginning 0)))))

(defun findings ()
  (flymake-start)
  (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun replace-on-line (start from to)
  (goto-char (point-min))
  (re-search-forward (concat "^" start))
  (search-backward from)
  (delete-char (length from))
  (insert to))

(defun completed ()
  "What completion offers at point."
  (let ((found (eglot-completion-at-point)))
    (mapcar #'substring-no-properties (all-completions "" (nth 2 found)))))

(defun connection ()
  "What decides whether Eglot manages the buffer."
  (let* ((project (eglot--current-project))
         (server (car (gethash project eglot--servers-by-project))))
    (list :mode major-mode :project project
          :projects (hash-table-keys eglot--servers-by-project)
          :modes (and server (eglot--major-modes server))
          :backend (ignore-errors (vc-responsible-backend default-directory)))))

(defun check-writing ()
  (replace-on-line "TESTING_STATE=" "=" ":")
  (eglot--signal-textDocument/didChange)
  (eventually "a line with a colon is found" (findings) (findings))
  (let* ((actions (eglot-code-actions (1- (point)) (point) "quickfix"))
         (fix (cl-find-if (lambda (it) (string-prefix-p "Write" (plist-get it :title))) actions)))
    (when fix
      (eglot--apply-workspace-edit (plist-get fix :edit)))
    (goto-char (point-min))
    (check "a code action mends it" (re-search-forward "^TESTING_STATE=" nil t) actions))
  (eglot--signal-textDocument/didChange)
  (eventually "and the finding goes" (null (findings)) (findings))
  (let* ((state (delete-and-extract-region (point) (line-end-position)))
         (words (completed)))
    (check "completion offers the states" (member "inactive" words) words)
    (insert state)
    (eglot--signal-textDocument/didChange)))

(defun written (start)
  "The line of the file on disk that begins with START."
  (let ((file buffer-file-name))
    (with-temp-buffer
      (insert-file-contents file)
      (re-search-forward (concat "^" start ".*$"))
      (match-string 0))))

(defun check-saving ()
  (load-guide "Fix and format on save")
  (synapse-mode)
  (run-hooks 'post-command-hook)
  (eventually "the mode is set up again" (eglot-managed-p))
  (replace-on-line "CONSTITUTION_STATE=" "=" "=in")
  (save-buffer)
  (let ((line (written "CONSTITUTION_STATE")))
    (check "saving mends what is written" (equal line "CONSTITUTION_STATE=active") line))
  (replace-on-line "CONSTITUTION_STATE=" "=" "=  ")
  (end-of-line)
  (insert "   ")
  (save-buffer)
  (let ((line (written "CONSTITUTION_STATE")))
    (check "saving lays out where nothing is to mend" (equal line "CONSTITUTION_STATE=active")
           line)))

(defun check-other-files ()
  (dolist (name '("agent-dev.env" "testing.md"))
    (with-current-buffer
        (find-file-noselect (expand-file-name (concat ".synapse/" name) (getenv "WORKSPACE")))
      (check (format "%s has our mode" name) (eq major-mode 'synapse-mode) major-mode)
      (kill-buffer))))

(defun run ()
  (load-guide "Emacs")
  (setq eglot-sync-connect patience)
  (find-file (expand-file-name ".synapse/manifest" (getenv "WORKSPACE")))
  (check "a manifest has our mode" (eq major-mode 'synapse-mode) major-mode)
  ;; eglot-ensure waits for the command loop, which a batch process does not have.
  (run-hooks 'post-command-hook)
  (eventually "the server starts with the file" (eglot-managed-p) (connection))
  (eventually "the mode line learns bracket and share left"
              (equal synapse-context " FRESH 100%") synapse-context)

  (replace-on-line "TESTING_STATE=" "=" " ")
  (eglot--signal-textDocument/didChange)
  (eventually "a broken line is found"
              (cl-some (lambda (text) (string-match-p "SYN103" text)) (findings)) (findings))
  (replace-on-line "TESTING_STATE " " " "=")
  (eglot--signal-textDocument/didChange)
  (eventually "mending the line takes the finding away" (null (findings)) (findings))

  (check-writing)

  (goto-char (point-min))
  (re-search-forward "^TES")
  (let* ((server (eglot-current-server))
         (hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams)))
         (text (plist-get (plist-get hover :contents) :value))
         (status (jsonrpc-request server :synapse/status (eglot--TextDocumentIdentifier))))
    (check "a hover shows its part of the block" (and text (string-search "4 rules, 79 tokens" text)) hover)
    (check "synapse/status answers" (equal (plist-get status :bracket) "FRESH") status)
    (check-saving)
    (check-other-files)
    (set-buffer-modified-p nil)
    (eglot-shutdown server)
    (check "the server shuts down" (not (jsonrpc-running-p server)))))

(condition-case err
    (run)
  (error (check "the check itself runs" nil err)))
(kill-emacs (if (> failed 0) 1 0))

;;; check.el ends here
