/**
 * The mailboxes of actors: one without a bound and one with a bound. A mailbox and its actor are the same
 * object, so that an idle actor takes 56 bytes with its behavior.
 *
 * <p>This package may use {@code actor} and the packages below it.
 *
 * <p>Terms: The <em>consumer</em> is the thread that runs the turn of the actor. The <em>depth</em> of a
 * mailbox is the number of nodes that wait in it. A node is <em>linked</em> when its predecessor refers to
 * it; before that it is only <em>announced</em> by its place in {@code tail}. A <em>space waiter</em> is a
 * sender that waits until a bounded mailbox has space.
 */
@NullMarked
package io.fibry.internal.mailbox;

import org.jspecify.annotations.NullMarked;
