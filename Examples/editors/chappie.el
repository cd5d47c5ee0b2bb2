;; Replaces the region by what an action of Chappie answers: M-x chappie
;; A failure leaves it as it is.
(defun chappie (action start end)
  (interactive "sAction: \nr")
  (let ((coding-system-for-read 'utf-8) (coding-system-for-write 'utf-8)
        (text (current-buffer)) (errors (make-temp-file "chappie")))
    (unwind-protect
        (with-temp-buffer
          (let* ((answer (current-buffer))
                 (status (with-current-buffer text
                           (call-process-region
                            start end "chappie" nil (list answer errors) nil "act" "--stdin" "--" action))))
            (unless (eq status 0)
              (insert-file-contents errors nil nil nil t)
              (user-error "%s" (buffer-string)))
            (with-current-buffer text
              (delete-region start end)
              (goto-char start)
              (insert-buffer-substring answer))))
      (delete-file errors))))
