/**
 * Which node is the home of a key, and how messages find it, as state machines without threads: what comes in is given to
 * {@link io.fibry.cluster.home.ClusterMember}, and what is to be done goes out by {@link io.fibry.cluster.home.Surroundings}.
 *
 * <p>Terms: a <em>group</em> is what several nodes share under one name. A <em>slice</em> is a part of its keys, which has
 * one home. The <em>term</em> of a slice rises whenever a node becomes its home. A <em>route</em> is the way from this node
 * to the home of a slice. {@code docs/adr/0017-homes-and-streams.md} has the decision, and what an engine has to keep.
 *
 * <p><em>One home.</em> A node becomes a home only by a change of its own that the engine has acknowledged, never because it
 * reads that it is the home: what it reads may be of a time before it was lost. Before that change the entry was closed,
 * which its home proposes after its actors have ended; or it named this node, whose actors have ended; or its home was lost.
 * A home is <em>lost</em> if it is not in the view and its entry is not of a newer view: otherwise a node whose view is late
 * would take a home that has just joined for lost. A refusal is not believed: what was made nevertheless is found as an entry
 * that names this node, and is claimed over or released. A node that was excluded closes everything before it serves again.
 *
 * <p><em>Order.</em> All letters of a round go to one node in one stream. A receiver that returns one returns all later
 * ones of that sender, slice and round. So the taken ones are the first of a round, and the returned ones come first in
 * the next. If the node is lost, letters behind a returned one were certainly not taken. A late letter is of a round
 * that has not ended: nothing that was sent after it has gone elsewhere, and a receiver need not compare terms.
 *
 * <p><em>Leaving.</em> A node closes and releases its slices, delivers its answers, and waits until all senders have
 * confirmed what it has taken. So what was transmitted to it without a verdict was certainly not taken.
 */
@NullMarked
package io.fibry.cluster.home;

import org.jspecify.annotations.NullMarked;
