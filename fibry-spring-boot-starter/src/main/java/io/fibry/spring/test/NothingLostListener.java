package io.fibry.spring.test;

import io.fibry.ActorScope;
import io.fibry.test.ScopeAssertions;
import org.springframework.test.annotation.DirtiesContext.HierarchyMode;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;
import org.springframework.test.context.support.DependencyInjectionTestExecutionListener;

/** Looks after each test whether something was lost. */
final class NothingLostListener implements TestExecutionListener {
    /** Called by Spring. */
    NothingLostListener() {
    }

    @Override
    public void afterTestMethod(TestContext test) {
        var annotation =
                TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), FibryTest.class);
        if (annotation == null || !annotation.nothingLost() || !test.hasApplicationContext()) {
            return;
        }
        try {
            test.getApplicationContext().getBeansOfType(ActorScope.class, false, false).values()
                    .forEach(ScopeAssertions::assertNothingLost);
        } catch (AssertionError lost) {
            test.markApplicationContextDirty(HierarchyMode.EXHAUSTIVE);
            // For an instance that has further tests.
            test.setAttribute(DependencyInjectionTestExecutionListener.REINJECT_DEPENDENCIES_ATTRIBUTE, true);
            throw lost;
        }
    }
}
