/**
 * Where a job runs: strategies, lanes with their overflow and their monitor, pools, and how threads wait. It knows a job, and
 * the name of its owner, but no actor.
 *
 * <p>It may use {@code memory}, {@code log}, {@code clock} and {@code report}.
 *
 * <p>Terms: A <em>job</em> is one activation of an owner, which handles what waits for it. A <em>runner</em> is what a thread that runs jobs
 * knows of itself. A <em>lane</em> is a virtual thread that runs one job after another; the job that a handler on a lane starts goes
 * to the <em>slot</em> of that lane and runs there next. A job that is displaced from its slot by a newer one <em>overflows</em>.
 * A <em>helper</em> is a fresh lane that begins with what has overflown. The <em>monitor</em> looks at the lanes, and starts what waits
 * in the slot of a stuck one elsewhere.
 */
@NullMarked
package io.fibry.internal.run;

import org.jspecify.annotations.NullMarked;
