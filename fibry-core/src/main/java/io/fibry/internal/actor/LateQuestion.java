package io.fibry.internal.actor;

/** A question to the outside of this process whose time was over before the actor that stands for it has looked at it. It is there until the failure names it. */
record LateQuestion(Cell cell, OutsideQuestion question) implements Placed {
}
