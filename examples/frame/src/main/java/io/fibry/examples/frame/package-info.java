/** The parts of the examples that are not about actors: command lines, pages and Ctrl-C. */
package io.fibry.examples.frame;
