
â2app
â"
	*main
â"*other
â2made up
âqueue(
â
deep(
P@ZHXºp
P@ZHXºt
P@ZHXºq
P@ZHXºd
P@Z	Hºnone