import { defineEntity, p } from '@mikro-orm/core';
import { FILE_STATUSES, type FileType } from '../../contracts/resources.ts';

/** Every file of the storage has a row, which is written before the file and outlives it. */
export const StoredFileSchema = defineEntity({
  name: 'StoredFile',
  tableName: 'stored_file',
  properties: {
    /** Serves as the name of the file in the storage, too. */
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    programId: p.uuid(),
    /** The post that it was uploaded for. Null: a file of the program. */
    resourceId: p.uuid().nullable(),
    mimeType: p.text().$type<FileType>(),
    byteSize: p.bigint('number'),
    status: p.enum(FILE_STATUSES),
    /** The request that is sending the file: an earlier one cannot complete it. */
    receiptId: p.uuid().nullable(),
    /** End of the time to send and use it. Null: it is in use or was discarded. */
    expiresAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

export class StoredFile extends StoredFileSchema.class {
  isExpired(at: Date): boolean {
    return !!this.expiresAt && this.expiresAt < at;
  }

  /** Makes it part of a resource, until it is discarded. */
  use(at: Date): void {
    this.status = 'in_use';
    this.expiresAt = null;
    this.receiptId = null;
    this.updatedAt = at;
  }
}

StoredFileSchema.setClass(StoredFile);

/** What a post shows, in the order of `sortOrder`, and the one file of a file. */
export const ResourceMediaSchema = defineEntity({
  name: 'ResourceMedia',
  tableName: 'resource_media',
  properties: {
    id: p.uuid().primary(),
    resourceId: p.uuid(),
    fileId: p.uuid(),
    fileName: p.text(),
    altText: p.text().nullable(),
    sortOrder: p.integer(),
    createdAt: p.datetime(3),
  },
});

export const ResourceNotificationSchema = defineEntity({
  name: 'ResourceNotification',
  tableName: 'resource_notification',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    resourceId: p.uuid(),
    /** Affiliates are written to from the newest to the oldest: this was the last one. */
    lastAffiliateAt: p.datetime(3),
    lastAffiliateId: p.uuid().nullable(),
    /** When the next ones are written to: later than at once when the mails of a day are used up. */
    nextAt: p.datetime(3),
    createdAt: p.datetime(3),
    finishedAt: p.datetime(3).nullable(),
  },
});
