" Replaces lines by what an action of Chappie answers: :'<,'>Chappie correct
" A failure leaves them as they are.
function! Chappie(action) range
  let errors = tempname()
  let command = 'chappie act --stdin -- ' . shellescape(a:action) . ' 2>' . shellescape(errors)
  let answer = systemlist(command, getline(a:firstline, a:lastline))
  if v:shell_error
    echohl ErrorMsg | echo join(readfile(errors), "\n") | echohl None
    return
  endif
  call append(a:lastline, answer)
  execute a:firstline . ',' . a:lastline . 'delete _'
endfunction
command! -nargs=1 -range Chappie <line1>,<line2>call Chappie(<q-args>)
