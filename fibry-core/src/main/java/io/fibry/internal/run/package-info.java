/**
 * Where a job runs: strategies, lanes with their overflow and their monitor, pools, limits of how many jobs run, and
 * how threads wait. The package knows a job, its owner as an object, and the name of the owner; it does not know actors.
 *
 * <p>It may use {@code memory}, {@code log}, {@code clock} and {@code report}.
 *
 * <p>Terms:
 *
 * <ul>
 * <li>A <em>job</em> is one activation of an owner. It handles what waits for the owner. An owner has at most one job that
 * runs at a time.
 * <li>A thread claims a job by taking its <em>token</em>. Several threads may have a <em>shared</em> job; the one that takes
 * the token runs it.
 * <li>A <em>runner</em> is what a thread that runs jobs knows about itself. The runner is <em>lent</em> if the thread waits
 * for the job that it runs.
 * <li>A <em>lane</em> is a virtual thread that runs one job after another. A job that a handler on a lane starts is put into
 * the <em>slot</em> of the lane and runs there next.
 * <li>A job that a newer one displaces from the slot <em>overflows</em>: it goes to the <em>backlog</em> that the lane owns.
 * Other lanes may take it from there.
 * <li>A <em>helper</em> is a fresh lane that begins with a job that has overflowed.
 * <li>The <em>monitor</em> checks the registered lanes from time to time, on the timer thread. It takes the job out of the
 * slot of a stuck lane and starts it elsewhere.
 * <li>A virtual thread <em>gives its carrier away</em> if it lets other virtual threads run on the carrier, which a yield
 * alone does not ensure: see {@code CarrierHandoff}.
 * </ul>
 *
 * <p>Exported to {@code io.fibry.web}, whose connections wait on fibers that belong to no strategy of the program.
 */
@NullMarked
package io.fibry.internal.run;

import org.jspecify.annotations.NullMarked;
