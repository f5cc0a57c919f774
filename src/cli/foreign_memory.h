/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libraries of others do when there is no memory. oneDNN is C++: where its operator new fails,
 * an exception crosses our C functions and the process aborts without a word to the user.
 */
#ifndef TACHO_CLI_FOREIGN_MEMORY_H
#define TACHO_CLI_FOREIGN_MEMORY_H

/*
 * From now on an allocation of C++ that fails ends the program with a message and exit status 1.
 * Nothing is lost by that: outputs are whole or not there. Does nothing where there is no C++
 * library, and so no oneDNN.
 */
void tacho_cli_guard_foreign_memory(void);

#endif
