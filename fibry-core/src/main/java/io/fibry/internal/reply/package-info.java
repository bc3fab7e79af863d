/**
 * Replies that come in another way than as the result of a handler: deferred ones, and those of requests.
 *
 * <p>Terms: A reply is <em>open</em> until its answer is over. It is <em>released</em> when the handler that has
 * deferred it has returned. A reply is <em>lost</em> if no program can complete it any more.
 */
@NullMarked
package io.fibry.internal.reply;

import org.jspecify.annotations.NullMarked;
