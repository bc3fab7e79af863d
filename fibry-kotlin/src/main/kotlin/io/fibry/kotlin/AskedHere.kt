package io.fibry.kotlin

import io.fibry.Recipient
import kotlin.coroutines.Continuation
import kotlin.coroutines.jvm.internal.CoroutineStackFrame

/**
 * Shows, in the stack trace of a failure, the coroutine that has asked. The failure itself has the stack of the handler. The frames
 * are read from the suspended coroutine, so an ask that does not fail pays nothing for them.
 */
internal class AskedHere private constructor(text: String, frames: Array<StackTraceElement>) : RuntimeException(text, null, false, true) {
    init {
        stackTrace = frames
    }

    override fun fillInStackTrace(): Throwable = this

    internal companion object {
        private const val serialVersionUID = 1L

        /** A handler may throw one object again and again, and that object must not grow. */
        private const val MOST = 8
        private const val DEEPEST = 64

        fun add(failure: Throwable, recipient: Recipient<*, *>, message: Any, asking: Continuation<*>) {
            val frames = frames(asking)
            if (frames.isNotEmpty() && failure.suppressed.count { it is AskedHere } < MOST) {
                failure.addSuppressed(AskedHere("'${recipient.name()}' was asked with a message of ${message.javaClass.name}", frames))
            }
        }

        private fun frames(asking: Continuation<*>): Array<StackTraceElement> =
            generateSequence(asking as? CoroutineStackFrame) { it.callerFrame }.take(DEEPEST)
                .mapNotNull { it.getStackTraceElement() }.toList().toTypedArray()
    }
}
