package io.fibry.spring;

import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.MailboxFullException;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.TaskRejectedException;

/**
 * Runs each task in an actor of its own. The actors belong to a scope inside that of the program, so its close waits for the tasks, and
 * they can use the actors of the program until the end.
 */
final class ActorTaskExecutor implements AsyncTaskExecutor {
    private final ActorScope scope;
    private final TaskDecorator decorator;

    ActorTaskExecutor(ActorScope program, CreationStrategy strategy, TaskDecorator decorator) {
        scope = program.child("async").strategy(strategy).closeTimeout(program.closeTimeout()).open();
        this.decorator = decorator;
    }

    @Override
    public void execute(Runnable task) {
        var decorated = decorator.decorate(task);
        var isAccepted = false;
        try {
            var actor = scope.anonymous().withoutDefaults().<Runnable>newActor((context, each) -> {
                context.askExit();
                each.run();
            });
            try {
                isAccepted = actor.sendMessage(decorated);
            } finally {
                if (!isAccepted) { // nothing else ends it
                    actor.askExit();
                }
            }
        } catch (IllegalStateException closed) {
            throw new TaskRejectedException("task " + task + " comes when scope '" + scope.name()
                    + "' is closed, with the context", closed);
        } catch (MailboxFullException full) {
            // The limits of a customizer may refuse by an exception.
        }
        if (!isAccepted) {
            throw new TaskRejectedException("task " + task
                    + " is refused: a limit of fibry.scope.limits is reached, or the scope is being closed");
        }
    }

    @Override
    public String toString() {
        return "ActorTaskExecutor of scope '" + scope.name() + "'";
    }
}
