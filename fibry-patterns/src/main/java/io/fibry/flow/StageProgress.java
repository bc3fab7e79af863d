package io.fibry.flow;

/**
 * How far one stage of a pipeline is. {@code in} is the sum of {@code out}, {@code failed}, {@code cancelled}, {@code waiting}
 * and {@code working}. What leaves one stage comes to the next, so its {@code in} is the {@code out} of the stage before.
 *
 * @param name the name of the stage
 * @param in how many values have come to the stage
 * @param out how many values have left it for the next stage or the subscriber, or were consumed if it is the last one
 * @param failed how many values have failed in it while the pipeline ran: the function has thrown, has returned null, or was
 *     abandoned
 * @param cancelled how many values were given up at this stage, since the pipeline had ended: they waited, or their function
 *     ended later, with or without an exception
 * @param waiting how many values wait in front of it
 * @param working how many values it works on, including those that are done and wait for earlier ones
 */
public record StageProgress(String name, long in, long out, long failed, long cancelled, int waiting,
        int working) {
}
