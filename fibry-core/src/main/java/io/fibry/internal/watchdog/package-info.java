/**
 * The watchdog: looks at the actors of a scope from time to time, and reports what is stuck, lagging or starved.
 *
 * <p>This room may use {@code timer}, {@code actor} and the rooms below them.
 *
 * <p>Terms: A <em>look</em> is one pass of the watchdog over the actors of its scopes. An actor is <em>stuck</em> if
 * one handler runs for too long, and <em>lagging</em> if a message waits for too long. Carriers are <em>starved</em>
 * if virtual threads do not get to run.
 */
@NullMarked
package io.fibry.internal.watchdog;

import org.jspecify.annotations.NullMarked;
