/**
 * Failures: what becomes of an actor that has failed, restarts and their pauses, children, watches, links and groups.
 *
 * <p>This room may use {@code actor} and the rooms below it.
 *
 * <p>Terms: A <em>watch</em> is the wish of one actor to hear of the end of another one. A <em>link</em> joins two
 * actors: if one of them fails the other one stops. A <em>member</em> of a group is a name for which the group
 * starts one actor after another. The <em>inherited mail</em> of a member is what an actor of this name has left for
 * its successor. To <em>escalate</em> a failure is to stop, and to let the parent fail with it.
 */
@NullMarked
package io.fibry.internal.supervise;

import org.jspecify.annotations.NullMarked;
