package io.fibry.internal.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;

@Name("fibry.LaneStatistics")
@Label("Lane Statistics")
@Description("What the lanes of the JVM have done since the last such event, or in all before the first one")
@Category("Fibry")
@Period("1 s")
@StackTrace(false)
final class LaneStatisticsEvent extends Event {
    @Label("Helpers Sent for Overflow")
    long helpers;
    @Label("Jobs Rescued")
    long rescued;
}
