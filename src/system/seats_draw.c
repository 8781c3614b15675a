/* SPDX-License-Identifier: Apache-2.0 */
/* Seats as a picture in text. */
#include "weir/system/seats.h"
void weir_seats_draw(struct weir_text *text, const struct weir_topology *topology,
                     const struct weir_seat_request *request, const struct weir_seat *seats)
{
    (void)text;
    (void)topology;
    (void)request;
    (void)seats;
}
