
,P@Z&H""b bbbbbbbbbbb
bbbb 