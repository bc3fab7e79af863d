/** What the examples have in common and what is not about actors: command lines, pages and Ctrl-C. */
package io.fibry.examples.frame;
