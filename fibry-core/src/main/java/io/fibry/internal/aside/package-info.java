/**
 * Messages that wait beside the mailbox: those that a handler has put aside, and urgent ones.
 *
 * <p>Terms: A message that was put aside goes <em>back</em> to the front of its mailbox. A <em>wake-up</em> is a signal
 * in the mailbox that lets the turn look for urgent messages.
 */
@NullMarked
package io.fibry.internal.aside;

import org.jspecify.annotations.NullMarked;
