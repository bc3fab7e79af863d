/**
 * Which node is the home of a key, and how messages find it, as state machines without threads: what comes in is given to {@link
 * io.fibry.cluster.home.ClusterMember}, and what is to be done goes out by {@link io.fibry.cluster.home.Surroundings}.
 *
 * <p>Terms: a <em>group</em> is what several nodes share under one name. A <em>slice</em> is a part of its keys, which has one home. The
 * <em>term</em> of a slice rises whenever a node becomes its home. A <em>route</em> is the way from this node to the home of a slice.
 * {@code docs/adr/0017-homes-and-streams.md} has the states, and says why there is one home at a time and why order is kept.
 */
@NullMarked
package io.fibry.cluster.home;

import org.jspecify.annotations.NullMarked;
