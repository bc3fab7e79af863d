/**
 * The kernel: an actor, its turns, its messages and their answers, and its end. The kernel does not know
 * scopes, mailboxes and features. It declares what it needs of them: {@link io.fibry.internal.actor.Host},
 * {@link io.fibry.internal.actor.Mailbox}, {@link io.fibry.internal.actor.Feature}, {@link
 * io.fibry.internal.actor.Services}, {@link io.fibry.internal.actor.StandIn} and the small interfaces beside them.
 *
 * <p>Terms:
 *
 * <ul>
 * <li>A <em>cell</em> is an actor as the engine sees it. A <em>handle</em> is the same object as users see it.
 * <li>A <em>node</em> is one entry of a mailbox. A <em>control node</em> belongs to the engine and carries no message.
 * <li>A node or an answer is <em>over</em> when nothing waits for its result any more: it was answered or cancelled, or
 * its time is over.
 * <li>A <em>turn</em> is one activation of an actor: the job of the kernel. The <em>consumer</em> is the thread that
 * runs it. The <em>rest</em> of a mailbox is what a turn leaves to a later turn.
 * <li>A turn runs <em>on top</em> of another one, and is <em>nested</em>, if it runs on the stack of another actor, which
 * waits for it. The other turn is <em>below</em>; all turns below it are <em>held up</em> when the turn on top waits.
 * <li>An actor's <em>extended state</em> ({@link io.fibry.internal.actor.ExtendedState}) is what most actors never need.
 * <li>A <em>stand-in</em> is a thread that handles a message for a turn.
 * <li>A <em>guest</em> is a turn that only represents its actor while code of that actor runs outside its own turn.
 * <li>An <em>edge</em> records for which other actor an actor waits.
 * <li>A <em>parcel</em> is a message with what it takes along: its sender's context, or the places that it holds in quotas.
 * <li>An actor's <em>heir</em>, or successor, takes over the messages that the actor did not handle.
 * </ul>
 *
 * <p>Exported to {@code io.fibry.cluster}: messages that another node has not handled are reported as those of this one.
 */
@NullMarked
package io.fibry.internal.actor;

import org.jspecify.annotations.NullMarked;
