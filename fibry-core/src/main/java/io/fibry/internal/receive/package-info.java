/**
 * Handlers and bodies that take their messages themselves.
 *
 * <p>Terms: A message is <em>passed over</em> if a receive did not want it. It is handled later, before what is in the
 * mailbox. A message that was received is <em>over</em> when the handler has moved on from it.
 */
@NullMarked
package io.fibry.internal.receive;

import org.jspecify.annotations.NullMarked;
