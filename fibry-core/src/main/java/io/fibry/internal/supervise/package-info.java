/**
 * Failures: what becomes of an actor that has failed, restarts and their pauses, children, watches, links and groups.
 *
 * <p>This room may use {@code actor} and the rooms below it.
 *
 * <p>Terms: A <em>watch</em> lets one actor learn of the end of another one. A <em>link</em> joins two actors: if
 * one of them fails, the other one stops. A <em>member</em> of a group is a name for which the group starts one actor
 * after another. The <em>inherited mail</em> of a member consists of the messages that an actor of this name has left
 * for its successor. To <em>escalate</em> a failure is to stop, and to let the parent fail with it.
 */
@NullMarked
package io.fibry.internal.supervise;

import org.jspecify.annotations.NullMarked;
